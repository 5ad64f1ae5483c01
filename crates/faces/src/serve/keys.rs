//! Who may come in: codes that are good once, the cookies that they become, and the token of
//! scripts. Kept as digests; compared as digests, so that how long it takes tells nothing.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hardwon_engine::digest;
use hardwon_engine::people::Role;
use hardwon_engine::voice::Speaker;

/// How long a code waits for its browser.
pub const CODE_LIVES: Duration = Duration::from_secs(5 * 60);

/// How long a browser stays known.
pub const COOKIE_LIVES: Duration = Duration::from_secs(12 * 60 * 60);

/// More codes or cookies than this at once belong to nobody: the oldest goes.
const MAX_HELD: usize = 64;

/// Who asks, once they are in.
#[derive(Clone, Debug)]
pub struct Guest {
    /// Of a page: whoever asked for the code, and no more than whoever started the server.
    pub speaker: Speaker,
    pub via: Via,
    /// What a form of this guest has to hand back; scripts have no forms.
    pub csrf: String,
    /// By what a member of a team wants to be let in: memory knows whether it is good.
    pub member: Option<Ticket>,
    /// What a member has to be for this request.
    pub needs: Role,
}

impl Guest {
    /// Somebody who may look, by this door.
    pub fn new(speaker: Speaker, via: Via, csrf: String, member: Option<Ticket>) -> Guest {
        Guest { speaker, via, csrf, member, needs: Role::Reader }
    }

    /// Whose share of the server it takes.
    pub fn whose(&self) -> &str {
        self.member.as_ref().map_or("", |ticket| &ticket.digest)
    }
}

/// By which door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// A browser with a cookie.
    Page,
    /// A script with the token.
    Http,
}

impl Via {
    /// Who did it, for the journal.
    pub fn actor(self) -> &'static str {
        match self {
            Via::Page => "page",
            Via::Http => "http",
        }
    }
}

/// By what somebody wants to be let in as a member of a team. Whether it is good is asked of memory,
/// every time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Of the token.
    pub digest: String,
    /// The project that is meant if none is named.
    pub project: Option<String>,
}

/// Codes and cookies of one server.
#[derive(Default)]
pub struct Keys {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    codes: Vec<Secret<Speaker>>,
    cookies: Vec<Secret<Guest>>,
}

/// A secret that was given out, and what it stands for.
struct Secret<T> {
    digest: String,
    until: Instant,
    /// Digest of the token at that time: another token ends it.
    token: String,
    means: T,
}

impl<T> Secret<T> {
    fn is_good(&self, now: Instant, token: &str) -> bool {
        now < self.until && self.token == token
    }
}

impl Keys {
    /// A new code, good once, for this speaker.
    pub fn code(&self, speaker: Speaker, token: &str, now: Instant) -> io::Result<String> {
        let code = random()?;
        let (until, token) = (now + CODE_LIVES, digest(token.as_bytes()));
        let secret = Secret { digest: digest(code.as_bytes()), until, token, means: speaker };
        push(&mut self.held().codes, secret);
        Ok(code)
    }

    /// The cookie that a code becomes, once.
    pub fn enter(&self, code: &str, token: &str, now: Instant) -> io::Result<Option<String>> {
        let (digested, token) = (digest(code.as_bytes()), digest(token.as_bytes()));
        let mut held = self.held();
        let Some(index) = held.codes.iter().position(|known| known.digest == digested) else {
            return Ok(None);
        };
        let known = held.codes.remove(index);
        if !known.is_good(now, &token) {
            return Ok(None);
        }
        Self::cookie(&mut held, known.means, None, token, now).map(Some)
    }

    /// A cookie for a member whose token was good.
    pub fn enter_as(&self, ticket: Ticket, token: &str, now: Instant) -> io::Result<String> {
        let token = digest(token.as_bytes());
        Self::cookie(&mut self.held(), Speaker::default(), Some(ticket), token, now)
    }

    fn cookie(
        held: &mut Held,
        speaker: Speaker,
        member: Option<Ticket>,
        token: String,
        now: Instant,
    ) -> io::Result<String> {
        let (cookie, csrf) = (random()?, random()?);
        let means = Guest::new(speaker, Via::Page, csrf, member);
        let digest = digest(cookie.as_bytes());
        push(&mut held.cookies, Secret { digest, until: now + COOKIE_LIVES, token, means });
        Ok(cookie)
    }

    pub fn visitor(&self, cookie: &str, token: &str, now: Instant) -> Option<Guest> {
        let (digested, token) = (digest(cookie.as_bytes()), digest(token.as_bytes()));
        let mut held = self.held();
        held.cookies.retain(|known| known.is_good(now, &token));
        let known = held.cookies.iter().find(|known| known.digest == digested)?;
        Some(known.means.clone())
    }

    /// Forgets the browser whose forms hand this back.
    pub fn leave(&self, csrf: &str) {
        self.held().cookies.retain(|known| !is_same(&known.means.csrf, csrf));
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two secrets are the same.
pub fn is_same(left: &str, right: &str) -> bool {
    digest(left.as_bytes()) == digest(right.as_bytes())
}

fn push<T>(held: &mut Vec<Secret<T>>, secret: Secret<T>) {
    if held.len() >= MAX_HELD {
        held.remove(0);
    }
    held.push(secret);
}

/// A token for a member of a team. What it begins with tells what it is, where it turns up.
pub fn new_token() -> io::Result<String> {
    Ok(format!("hardwon_{}", random()?))
}

/// 256 bits that nobody guesses, as letters and digits.
pub fn random() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "t";

    #[test]
    fn a_code_is_good_once_and_for_five_minutes() {
        let (keys, now) = (Keys::default(), Instant::now());
        let code = keys.code(Speaker::person(), TOKEN, now).unwrap();
        assert!(keys.enter("another", TOKEN, now).unwrap().is_none());
        assert!(keys.enter(&code, TOKEN, now).unwrap().is_some());
        assert!(keys.enter(&code, TOKEN, now).unwrap().is_none(), "a second time");
        let code = keys.code(Speaker::person(), TOKEN, now).unwrap();
        assert!(keys.enter(&code, TOKEN, now + CODE_LIVES).unwrap().is_none(), "too late");
    }

    #[test]
    fn a_cookie_ends_after_half_a_day_or_with_the_token() {
        let (keys, now) = (Keys::default(), Instant::now());
        let enter = || {
            let code = keys.code(Speaker::person(), TOKEN, now).unwrap();
            keys.enter(&code, TOKEN, now).unwrap().unwrap()
        };
        let cookie = enter();
        let seen = keys.visitor(&cookie, TOKEN, now).unwrap();
        assert_eq!(seen.speaker, Speaker::person());
        assert!(keys.visitor("another", TOKEN, now).is_none());
        assert!(keys.visitor(&cookie, TOKEN, now + COOKIE_LIVES).is_none());
        let cookie = enter();
        assert!(keys.visitor(&cookie, "new", now).is_none(), "another token ends it");
        assert!(keys.visitor(&cookie, TOKEN, now).is_none(), "for good");
    }

    #[test]
    fn nobody_fills_memory_with_codes() {
        let (keys, now) = (Keys::default(), Instant::now());
        let first = keys.code(Speaker::person(), TOKEN, now).unwrap();
        for _ in 0..MAX_HELD {
            keys.code(Speaker::person(), TOKEN, now).unwrap();
        }
        assert!(keys.enter(&first, TOKEN, now).unwrap().is_none());
        assert_eq!(keys.held().codes.len(), MAX_HELD);
    }
}
