//! A model that is far away: asked over TLS, through the proxy that the environment names. The proxy
//! here leads to a server of our own with a certificate of its own; the name is nobody's, so that
//! nothing can leave this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::harness::{Memory, Ran};

const NAME: &str = "model.example";
const KEY: &str = "sk-of-this-test-0123456789abcdef";
const LESSON: &str = "Bind every value of a query";

/// A proxy behind which there is one server. What was asked, in the clear and then encrypted.
struct Proxy {
    address: String,
    certificate: String,
    asked: Mutex<Receiver<(String, Option<String>)>>,
}

impl Proxy {
    /// Everybody is answered with this.
    fn before(answer: &Value) -> Proxy {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed([NAME.to_owned()]).expect("a certificate");
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|it| it.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key))
            .expect("a server");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (tell, asked) = channel();
        let (config, answer) = (Arc::new(config), answer.to_string());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let told = serve(stream, Arc::clone(&config), &answer);
                if tell.send(told).is_err() {
                    return;
                }
            }
        });
        Proxy { address, certificate: cert.pem(), asked: Mutex::new(asked) }
    }

    /// What it heard: the head in the clear, and what was encrypted.
    fn heard(&self) -> Vec<(String, Option<String>)> {
        self.asked.lock().expect("one reader").try_iter().collect()
    }
}

/// Leads a caller on, and answers in the server's place.
fn serve(stream: TcpStream, config: Arc<ServerConfig>, answer: &str) -> (String, Option<String>) {
    let mut plain = BufReader::new(stream);
    let head = head_of(&mut plain);
    let mut stream = plain.into_inner();
    let _ = stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
    let connection = ServerConnection::new(config).expect("a connection");
    let mut encrypted = BufReader::new(StreamOwned::new(connection, stream));
    let asked = head_of(&mut encrypted);
    let length = asked.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let Some(length) = length else { return (head, None) };
    let mut body = vec![0; length];
    let is_whole = encrypted.read_exact(&mut body).is_ok();
    let reply = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{answer}",
        answer.len()
    );
    let _ = encrypted.get_mut().write_all(reply.as_bytes());
    encrypted.get_mut().conn.send_close_notify();
    let _ = encrypted.get_mut().flush();
    (head, is_whole.then(|| asked + &String::from_utf8_lossy(&body)))
}

/// Everything up to an empty line, or to the end.
fn head_of(from: &mut impl BufRead) -> String {
    let mut head = String::new();
    while from.read_line(&mut head).is_ok_and(|n| n > 0) && !head.ends_with("\r\n\r\n") {}
    head
}

/// A memory with one lesson whose user has chosen that model.
fn memory() -> Memory {
    let memory = Memory::new();
    memory.json(&["add", LESSON]);
    for (name, value) in [
        ("reflect.backend", "openai"),
        ("reflect.model", "gpt-5-mini"),
        ("reflect.base_url", &format!("https://{NAME}/v1")),
        ("reflect.key_env", "KEY_OF_THIS_TEST"),
    ] {
        memory.run(&["config", "set", name, value, "--as-user"]).exits(0);
    }
    memory
}

const QUESTION: &[&str] = &["ask", "How do I write a query?", "--json"];

fn asks(memory: &Memory, proxy: &Proxy, trusts: bool, arguments: &[&str]) -> Ran {
    let certificate = memory.home().join("certificate.pem");
    std::fs::write(&certificate, &proxy.certificate).expect("it can be written");
    let mut command = memory.command(arguments);
    command.env("KEY_OF_THIS_TEST", KEY).env("HTTPS_PROXY", format!("http://{}", proxy.address));
    if trusts {
        command.env("SSL_CERT_FILE", certificate);
    }
    Ran::of(arguments, command.output().expect("the binary starts"))
}

fn knows(cites: &str) -> Value {
    let said = json!({ "known": true, "answer": "Bind the values.", "cites": [cites] }).to_string();
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5-mini",
        "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": said, "refusal": null}}],
        "usage": {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100},
    })
}

#[test]
fn a_model_is_asked_through_a_proxy() {
    let memory = memory();
    let id = memory.json(&["list"])["lessons"][0]["id"].as_str().expect("a lesson").to_owned();
    let proxy = Proxy::before(&knows(&id));
    let told = asks(&memory, &proxy, true, QUESTION).exits(0).json();
    assert_eq!(told["answer"], "Bind the values.", "{told:#}");
    let heard = proxy.heard();
    let [(head, Some(asked))] = heard.as_slice() else { panic!("asked once: {heard:?}") };
    assert!(head.starts_with(&format!("CONNECT {NAME}:443 ")), "{head}");
    assert!(!head.contains(KEY), "the proxy learns nothing");
    assert!(asked.contains(&format!("Bearer {KEY}")) && asked.contains(LESSON), "{asked}");
}

#[test]
fn who_cannot_be_trusted_gets_no_key() {
    let memory = memory();
    let proxy = Proxy::before(&knows("nobody"));
    let told = asks(&memory, &proxy, false, QUESTION).exits(0);
    assert!(told.stdout.contains("\"degraded\""), "{told}");
    assert!(told.stdout.contains("SSL_CERT_FILE") && !told.to_string().contains(KEY), "{told}");
    for (head, asked) in proxy.heard() {
        assert!(!head.contains(KEY) && asked.is_none(), "{head} {asked:?}");
    }
}
