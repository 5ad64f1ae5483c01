//! What one server has: memory, keys, names, and how many listen.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use hardwon_engine::Access;
use hardwon_engine::people::Seat;
use hardwon_engine::voice::Speaker;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::desk::Desk;
use super::door::{Guest, Names};
use super::keys::Keys;
use super::place::TokenFile;
use super::trouble::Trouble;
use crate::hands::{Hand, Hands, Share};

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(120);

pub struct House {
    pub desk: Desk,
    pub hands: Hands,
    pub keys: Keys,
    pub names: Names,
    pub token: TokenFile,
    /// Whether members of teams come with tokens of their own.
    pub is_team: bool,
    /// Places for those who listen to live messages.
    pub listeners: Arc<Semaphore>,
    /// True once the server is to end.
    pub closing: watch::Receiver<bool>,
}

impl House {
    /// Does what asks memory, for whoever has this share.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        share: &Arc<Share>,
        work: impl FnOnce(&House, &Hand) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let house = Arc::clone(self);
        let late =
            || Trouble::new(StatusCode::SERVICE_UNAVAILABLE, "it took too long", "try again");
        match timeout(LIMIT, share.ask(move |hand| work(&house, hand))).await {
            Err(_) => Err(late()),
            // It went wrong, or the server is about to end.
            Ok(Err(_)) => Err(Trouble::fault()),
            Ok(Ok(done)) => done,
        }
    }

    /// Whether the token of a member is good now for what it is to do: as whom they come, and to which
    /// project. Whoever has the token of this server is nobody's member.
    pub async fn admit(
        self: &Arc<Self>,
        share: &Arc<Share>,
        guest: &Guest,
        project: Option<&str>,
    ) -> Result<Option<(Seat, String)>, Trouble> {
        if guest.member.is_none() {
            return Ok(None);
        }
        let (guest, project) = (guest.clone(), project.map(str::to_owned));
        self.ask(share, move |house, hand| {
            let lent = house.desk.lend(hand, &guest, project.as_deref(), Access::Read)?;
            let seat = lent.call.seat.clone().ok_or_else(Trouble::fault)?;
            Ok(Some((seat, lent.call.project.to_string())))
        })
        .await
    }

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
