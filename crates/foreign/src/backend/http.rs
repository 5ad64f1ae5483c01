//! One question by HTTP: never to another address than the one that is allowed, never for longer
//! than the time given, never more than a limited answer, and tried again only where nothing was
//! answered.

use std::io::Read;
use std::time::{Duration, Instant};

use hardwon_engine::model::{Message, NoAnswer, Request};
use hardwon_engine::wall_clock;
use serde_json::Value;
use ureq::http::{HeaderValue, Response};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};

use super::address::Address;
use super::failure::{lost, turned_away, unusable};
use super::key::Key;
use super::quote::quote;
use super::retry::{RETRIES, pause};
use super::stream::is_over;
use super::unanswered::unanswered;

/// A longer answer is cut off.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// Nobody waits longer, whatever a setting says.
pub(super) const MAX_TIME: Duration = Duration::from_secs(90);

/// A provider that cannot be reached by then is tried again.
const CONNECT_TIME: Duration = Duration::from_secs(15);

/// Where questions go.
pub(super) struct Endpoint {
    pub address: Address,
    key: Option<Key>,
    agent: Agent,
}

/// What is asked.
pub(super) struct Question<'a> {
    pub path: &'a str,
    pub headers: Vec<(&'static str, HeaderValue)>,
    pub body: Value,
    /// What of it no message of ours may repeat.
    pub sent: &'a [Message],
}

/// The time and the tries that one question has.
pub(super) struct Patience {
    until: Instant,
    retries: usize,
    /// Whether a try was lost on the way: somebody may have been paid for it.
    is_lost: bool,
}

impl Patience {
    pub(super) fn new(time: Duration) -> Self {
        Patience { until: Instant::now() + time.min(MAX_TIME), retries: 0, is_lost: false }
    }

    /// What a failure is worth if an earlier try was lost: then it is not known to be free.
    pub(super) fn settle(&self, failure: NoAnswer) -> NoAnswer {
        if self.is_lost && failure.kind.is_free() { lost(failure.reason) } else { failure }
    }

    /// What of the time is left.
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// What came back.
pub(super) enum Heard {
    Answer {
        text: String,
        is_stream: bool,
    },
    /// The provider says no, with this status.
    Refusal {
        status: u16,
        text: String,
    },
}

/// What one try brought, if no answer.
struct Failed {
    failure: NoAnswer,
    /// Whether nothing at all was answered, so that it may be tried again; and after which time,
    /// if the provider said one.
    again: Option<Option<String>>,
}

impl Endpoint {
    pub(super) fn new(address: Address, key: Option<Key>, certificates: RootCerts) -> Self {
        // What is sent to this machine never passes through another one.
        let proxy = if address.is_loopback() { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy)
            .tls_config(TlsConfig::builder().root_certs(certificates).build())
            .user_agent(concat!("hardwon/", env!("CARGO_PKG_VERSION")))
            .build();
        Endpoint { address, key, agent: config.new_agent() }
    }

    /// The header with the key, if there is one.
    pub(super) fn key_header(&self, before: &str) -> Option<HeaderValue> {
        self.key.as_ref().and_then(|key| key.header(before))
    }

    /// Asks, and asks again where nothing was answered.
    pub(super) fn ask(
        &self,
        question: &Question,
        patience: &mut Patience,
    ) -> Result<Heard, NoAnswer> {
        loop {
            let failed = match self.try_once(question, patience) {
                Ok(heard) => return Ok(heard),
                Err(failed) => failed,
            };
            let wait = failed.again.filter(|_| patience.retries < RETRIES);
            let wait = wait.map(|stated| pause(patience.retries, stated.as_deref(), wall_clock()));
            patience.is_lost |= !failed.failure.kind.is_free();
            match wait {
                Some(wait) if wait < patience.left() => std::thread::sleep(wait),
                _ => return Err(patience.settle(failed.failure)),
            }
            patience.retries += 1;
        }
    }

    fn try_once(&self, question: &Question, patience: &Patience) -> Result<Heard, Failed> {
        let left = patience.left();
        if left.is_zero() {
            return Err(Failed { failure: lost("no answer in time"), again: None });
        }
        let mut request = self.agent.post(self.address.below(question.path));
        for (name, value) in &question.headers {
            request = request.header(*name, value);
        }
        let request = request.header("content-type", "application/json");
        let request = request.config().timeout_global(Some(left));
        let request = request.timeout_connect(Some(left.min(CONNECT_TIME))).build();
        let response = request.send(question.body.to_string());
        let response = response.map_err(|error| {
            let (failure, is_worth_more) = unanswered(self.address.host(), &error);
            Failed { failure, again: is_worth_more.then_some(None) }
        })?;
        self.heard(response, question.sent)
    }

    fn heard(&self, mut response: Response<Body>, sent: &[Message]) -> Result<Heard, Failed> {
        let status = response.status().as_u16();
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let is_stream = header("content-type")
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/event-stream"));
        let retry_after = header("retry-after");
        let reader = response.body_mut().as_reader();
        if (200..300).contains(&status) {
            let text = read(reader, is_stream);
            let text = text.map_err(|failure| Failed { failure, again: None })?;
            return Ok(Heard::Answer { text, is_stream });
        }
        let mut bytes = Vec::new();
        // Half of an explanation is better than none.
        let _ = reader.take(MAX_BYTES as u64 / 16).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if !matches!(status, 429 | 500 | 503 | 529) {
            return Ok(Heard::Refusal { status, text });
        }
        Err(Failed { failure: self.refused(status, &text, sent), again: Some(retry_after) })
    }

    /// What the provider's no means, in words that hold neither the key nor what was sent.
    pub(super) fn refused(&self, status: u16, text: &str, sent: &[Message]) -> NoAnswer {
        let host = self.address.host();
        let reason = match status {
            300..400 => {
                format!("{host} answered with a redirect ({status}), which is not followed")
            }
            _ => match self.quote(text, sent) {
                quote if quote.is_empty() => format!("{host} answered {status}"),
                quote => format!("{host} answered {status}: {quote}"),
            },
        };
        match status {
            // Overloaded or too many: nothing was begun.
            300..500 | 503 | 529 => turned_away(reason),
            _ => lost(reason),
        }
    }

    /// A provider's own words, fit to be told.
    pub(super) fn quote(&self, text: &str, sent: &[Message]) -> String {
        quote(text, self.key.as_ref(), sent)
    }
}

/// The whole body, or a stream to its end.
fn read(mut reader: impl Read, is_stream: bool) -> Result<String, NoAnswer> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 << 10];
    loop {
        let count = match reader.read(&mut chunk) {
            Ok(count) => count,
            Err(error) => return Err(lost(format!("the answer broke off: {error}"))),
        };
        let known = bytes.len();
        bytes.extend_from_slice(&chunk[..count]);
        if bytes.len() > MAX_BYTES {
            return Err(unusable("the answer is longer than 1 MiB", None));
        }
        if count == 0 || (is_stream && is_over(&bytes, known)) {
            break;
        }
    }
    String::from_utf8(bytes).map_err(|_| unusable("the answer is no text", None))
}

/// The name of a tool as protocols allow it.
pub(super) fn tool_name(request: &Request) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    request.shape.name.chars().map(plain).take(64).collect()
}
