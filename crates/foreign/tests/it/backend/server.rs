//! A server that follows a script: one answer for each connection, the last one for ever.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// One piece of an answer.
#[derive(Clone)]
pub enum Piece {
    Send(Vec<u8>),
    Wait(Duration),
    /// Again and again, with a pause, until nobody listens.
    Endless(Vec<u8>, Duration),
}

/// What came in: the lines of its head, and its body.
#[derive(Clone, Debug)]
pub struct Asked {
    pub head: String,
    pub body: Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

pub struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub fn new(script: Vec<Vec<Piece>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let port = listener.local_addr().expect("it has an address").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let Ok(mut stream) = stream else { return };
                let Some(asked) = read(&mut stream) else { continue };
                noted.lock().expect("nobody panics with it").push(asked);
                let answer = script.get(number).or(script.last()).cloned().unwrap_or_default();
                answer.into_iter().all(|piece| play(&mut stream, piece));
            }
        });
        Server { port, asked }
    }

    /// One whole answer for each connection.
    pub fn answering(answers: &[(u16, &str, Vec<u8>)]) -> Self {
        let answers = answers.iter();
        Server::new(answers.map(|(status, more, body)| whole(*status, more, body)).collect())
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("nobody panics with it").clone()
    }
}

/// An answer with its length; `more` are header lines, each with its end.
pub fn whole(status: u16, more: &str, body: &[u8]) -> Vec<Piece> {
    let head = format!(
        "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nConnection: close\r\n{more}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    vec![Piece::Send(head.into_bytes()), Piece::Send(body.to_vec())]
}

/// The head of an answer that comes in chunks.
pub fn chunked(kind: &str) -> Piece {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    Piece::Send(head.into_bytes())
}

pub fn chunk(bytes: &[u8]) -> Piece {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    Piece::Send(chunk)
}

fn play(stream: &mut TcpStream, piece: Piece) -> bool {
    match piece {
        Piece::Send(bytes) => stream.write_all(&bytes).and_then(|()| stream.flush()).is_ok(),
        Piece::Wait(time) => {
            thread::sleep(time);
            true
        }
        Piece::Endless(bytes, pause) => {
            while stream.write_all(&bytes).is_ok() {
                thread::sleep(pause);
            }
            false
        }
    }
}

fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let asked = Asked { head: head.to_owned(), body: Value::Null };
        let length = asked.header("content-length").and_then(|length| length.parse().ok());
        if body.len() >= length.unwrap_or(0usize) {
            return Some(Asked { body: serde_json::from_str(body).unwrap_or_default(), ..asked });
        }
    }
}
