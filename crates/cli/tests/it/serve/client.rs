//! A server of our own, and requests to it byte by byte: no client library stands between.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::harness::Memory;

pub struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// The path with the code.
    pub door: String,
    pub token: String,
}

/// What came back.
#[derive(Debug)]
pub struct Heard {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Heard {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    #[track_caller]
    pub fn is(self, status: u16) -> Heard {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }
}

impl Server {
    /// Started by a person.
    pub fn start(memory: &Memory) -> Server {
        Server::of(memory.command(&["serve", "--json"]), memory)
    }

    pub fn of(mut command: Command, memory: &Memory) -> Server {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let stdout = child.stdout.take().expect("it is piped");
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("it says where it is");
        let first: Value = serde_json::from_str(&line).expect("one object");
        let url = first["url"].as_str().expect("an address").to_owned();
        let rest = url.strip_prefix("http://").expect("plain http on this machine");
        let (host, path) = rest.split_once('/').expect("a path");
        let token = std::fs::read_to_string(memory.home().join("serve.token")).unwrap_or_default();
        let (host, door) = (host.to_owned(), format!("/{path}"));
        Server { child, host, door, token: token.trim().to_owned() }
    }

    /// Sends exactly these bytes and reads until the end. Nobody there is status 0.
    pub fn send(&self, bytes: &[u8]) -> Heard {
        let Ok(mut stream) = TcpStream::connect(&self.host) else { return heard("") };
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout can be set");
        // A server that has heard enough closes: what it said counts.
        let _ = stream.write_all(bytes);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        heard(&String::from_utf8_lossy(&text))
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Heard {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        let has_host = headers.iter().any(|(name, _)| *name == "Host");
        if !has_host {
            text += &format!("Host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
        self.send(text.as_bytes())
    }

    /// As a script with the token.
    pub fn api(&self, method: &str, path: &str, body: &str) -> Heard {
        let bearer = format!("Bearer {}", self.token);
        self.ask(method, path, &[("Authorization", &bearer)], body)
    }

    /// Sends this line of a request with a token, further lines of its head and its body.
    fn open(&self, line: &str, token: &str, more: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout can be set");
        let host = &self.host;
        let head = format!("Host: {host}\r\nAuthorization: Bearer {token}\r\n{more}\r\n");
        let request = format!("{line} HTTP/1.1\r\n{head}{body}");
        stream.write_all(request.as_bytes()).expect("it is taken");
        stream
    }

    /// Begins to hand in a record of so many bytes.
    pub fn begin(&self, token: &str, length: usize, body: &str) -> TcpStream {
        let more = format!("Content-Length: {length}\r\nConnection: close\r\n");
        self.open("POST /api/v1/learn", token, &more, body)
    }

    /// Begins to listen to live messages.
    pub fn listening(&self, token: &str, more: &str) -> TcpStream {
        self.open("GET /api/v1/events", token, more, "")
    }

    /// Begins to listen to live messages, and leaves; the status.
    pub fn listen(&self, token: &str) -> u16 {
        let mut head = String::new();
        let _ = BufReader::new(self.listening(token, "")).read_line(&mut head);
        heard(&head).status
    }

    /// Enters by a code; gives the cookie.
    #[track_caller]
    pub fn enter(&self, door: &str) -> String {
        let entered = self.ask("GET", door, &[], "").is(303);
        let cookie = entered.header("set-cookie").expect("a cookie");
        cookie.split(';').next().expect("its value").to_owned()
    }

    /// A page, as a browser with a cookie sees it.
    pub fn page(&self, path: &str, cookie: &str) -> Heard {
        self.ask("GET", path, &[("Cookie", cookie), ("Accept", "text/html")], "")
    }

    /// A form of a page.
    pub fn form(&self, path: &str, cookie: &str, fields: &str) -> Heard {
        let origin = format!("http://{}", self.host);
        let headers = [("Cookie", cookie), ("Origin", &origin), ("Accept", "text/html")];
        self.ask("POST", path, &headers, fields)
    }

    /// The token that forms of this lesson's page hand back.
    #[track_caller]
    pub fn csrf(&self, cookie: &str, lesson: &str) -> String {
        let page = self.page(&format!("/lessons/{lesson}"), cookie).is(200).body;
        csrf_of(&page)
    }

    /// Ends it as a service manager does; gives its exit status.
    pub fn stop(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        self.child.wait().expect("it ends").code()
    }
}

/// The token in the first form of a page.
#[track_caller]
pub fn csrf_of(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"csrf\" value=\"").expect("a form has its token");
    rest.split('"').next().expect("its end").to_owned()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn heard(text: &str) -> Heard {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_owned() };
    Heard { status, head: head.to_owned(), body }
}

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let n = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if n == 0 || after.len() < n {
            break;
        }
        body += &after[..n];
        rest = after[n..].trim_start_matches("\r\n");
    }
    body
}
