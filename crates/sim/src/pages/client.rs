//! A server of the measured program, and requests over connections that stay open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::speed::scenario::Memory;

pub struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    host: String,
    /// The path with the code.
    door: String,
    token: String,
}

impl Server {
    pub fn start(memory: &Memory<'_>) -> Result<Server, String> {
        let mut command = memory.serve().command();
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("no server: {error}"))?;
        let stdout = child.stdout.take().ok_or("no output of the server")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
        let first: serde_json::Value =
            serde_json::from_str(&line).map_err(|error| format!("no server: {error}"))?;
        let url = first["url"].as_str().ok_or("the server does not say where it is")?;
        let rest = url.strip_prefix("http://").ok_or("not an address of this machine")?;
        let (host, door) = rest.split_once('/').ok_or("an address without a code")?;
        let token = std::fs::read_to_string(memory.home.join("serve.token"));
        let token = token.map_err(|error| format!("no token: {error}"))?.trim().to_owned();
        Ok(Server { child, host: host.to_owned(), door: format!("/{door}"), token })
    }

    /// Enters by the code; gives the cookie.
    pub fn enter(&self) -> Result<String, String> {
        let mut connection = Connection::to(self)?;
        let (_, head, _) = connection.ask("GET", &self.door, "", "")?;
        let cookie = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next())?
        });
        cookie.map(|cookie| cookie.trim().to_owned()).ok_or_else(|| "no cookie".to_owned())
    }

    /// Resident memory in bytes: now, and at most.
    pub fn weight(&self) -> Option<(u64, u64)> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
        };
        Some((of("VmRSS:")?, of("VmHWM:")?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that stays open.
pub struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
    token: String,
}

impl Connection {
    pub fn to(server: &Server) -> Result<Connection, String> {
        let stream = TcpStream::connect(&server.host).map_err(|error| error.to_string())?;
        let set =
            stream.set_nodelay(true).and(stream.set_read_timeout(Some(Duration::from_secs(60))));
        set.map_err(|error| error.to_string())?;
        let (host, token) = (server.host.clone(), server.token.clone());
        Ok(Connection { stream: BufReader::new(stream), host, token })
    }

    /// The status of a page.
    pub fn get(&mut self, path: &str, cookie: &str) -> Result<u16, String> {
        self.ask("GET", path, &format!("Cookie: {cookie}\r\n"), "").map(|(status, ..)| status)
    }

    /// What the API says, as a script.
    pub fn post(&mut self, path: &str, body: &str) -> Result<(u16, Vec<u8>), String> {
        let head = format!("Authorization: Bearer {}\r\n", self.token);
        self.ask("POST", path, &head, body).map(|(status, _, body)| (status, body))
    }

    fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<(u16, String, Vec<u8>), String> {
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {length}\r\n{headers}\r\n{body}",
            self.host
        );
        let lost = |error: std::io::Error| format!("{path}: {error}");
        self.stream.get_mut().write_all(text.as_bytes()).map_err(lost)?;
        self.answer().map_err(lost)
    }

    fn answer(&mut self) -> std::io::Result<(u16, String, Vec<u8>)> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        let mut body = vec![0; length.unwrap_or(0)];
        self.stream.read_exact(&mut body)?;
        Ok((status, head, body))
    }
}
