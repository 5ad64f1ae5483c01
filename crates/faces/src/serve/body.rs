//! Bodies of requests: as a whole, or read by one thread while they come in by another.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use axum::body::{Body as HttpBody, Bytes};
use axum::http::StatusCode;
use http_body_util::BodyExt;
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use super::trouble::Trouble;

/// The most bytes of a body that is not a record.
const MAX_BODY: usize = 1 << 20;

/// How long somebody may be silent in the middle of a body.
const SILENCE: Duration = Duration::from_secs(20);

/// How long a body may take as a whole: somebody who sends a byte now and then is not served.
const BODY_LIMIT: Duration = Duration::from_secs(60);

/// A piece of a body.
pub enum Chunk {
    Bytes(Bytes),
    /// There is more, and it does not come.
    CutOff,
}

/// Reads what comes, and waits for it. For a thread that may block.
pub struct ChannelReader {
    chunks: Receiver<Chunk>,
    rest: Bytes,
}

impl ChannelReader {
    pub fn new(chunks: Receiver<Chunk>) -> Self {
        ChannelReader { chunks, rest: Bytes::new() }
    }
}

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.chunks.blocking_recv() {
                None => return Ok(0),
                Some(Chunk::Bytes(bytes)) => self.rest = bytes,
                Some(Chunk::CutOff) => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the body was cut off",
                    ));
                }
            }
        }
        let n = self.rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.rest.split_to(n));
        Ok(n)
    }
}

/// A body that is not long.
pub async fn whole(mut body: HttpBody) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    let until = Instant::now() + BODY_LIMIT;
    while let Some(chunk) = next(&mut body, until).await? {
        if bytes.len() + chunk.len() > MAX_BODY {
            return Err(too_long());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The next piece of a body.
pub async fn next(body: &mut HttpBody, until: Instant) -> Result<Option<Bytes>, Trouble> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let frame = timeout(SILENCE.min(left), body.frame()).await;
        let slow = || Trouble::new(StatusCode::REQUEST_TIMEOUT, "the body did not come", "");
        match frame.map_err(|_| slow())? {
            None => return Ok(None),
            Some(Err(_)) => return Err(Trouble::wrong("the body was cut off")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

pub fn too_long() -> Trouble {
    Trouble::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long", "send it in parts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::channel;

    #[test]
    fn what_comes_is_read_and_what_is_cut_off_is_an_error() {
        let (send, chunks) = channel(8);
        let mut text = String::new();
        for part in ["one ", "", "two"] {
            assert!(send.try_send(Chunk::Bytes(Bytes::from_static(part.as_bytes()))).is_ok());
        }
        drop(send);
        ChannelReader::new(chunks).read_to_string(&mut text).unwrap();
        assert_eq!(text, "one two");
        let (send, chunks) = channel(8);
        assert!(send.try_send(Chunk::Bytes(Bytes::from_static(b"one"))).is_ok());
        assert!(send.try_send(Chunk::CutOff).is_ok());
        assert!(ChannelReader::new(chunks).read_to_string(&mut text).is_err());
    }
}
