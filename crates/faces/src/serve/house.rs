//! What one server has: memory, keys, names, and how many listen.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use hardwon_engine::voice::Speaker;
use tokio::sync::watch;

use super::checkup::Checkup;
use super::desk::Desk;
use super::door::Names;
use super::keys::Keys;
use super::place::TokenFile;

pub struct House {
    pub desk: Desk,
    pub keys: Keys,
    pub names: Names,
    pub token: TokenFile,
    /// Whether members of teams come with tokens of their own.
    pub is_team: bool,
    pub checkup: Arc<Checkup>,
    /// Who listens to live messages.
    pub n_live: AtomicUsize,
    /// True once the server is to end.
    pub closing: watch::Receiver<bool>,
}

impl House {
    /// Where it is, without a code.
    pub fn url(&self) -> String {
        let host = self.names.hosts.first().map_or("", String::as_str);
        format!("http://{host}/")
    }

    /// Where a browser has to go, once, within five minutes.
    pub fn new_code(&self, speaker: Speaker) -> io::Result<String> {
        let code = self.keys.code(speaker, &self.token.read()?, Instant::now())?;
        Ok(format!("{}?code={code}", self.url()))
    }
}
