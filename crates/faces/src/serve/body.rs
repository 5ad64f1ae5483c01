//! A body that is read by one thread while it comes in by another.

use std::io::{self, Read};

use axum::body::Bytes;
use tokio::sync::mpsc::Receiver;

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
