//! One question by HTTP: only to the address that is allowed, within the time given, with an
//! answer of limited length, and tried again only where nothing was answered.

use std::cell::Cell;
use std::io::Read;
use std::time::{Duration, Instant};

use hardwon_engine::model::{Completion, Model, NoAnswer, Request};
use serde_json::Value;
use ureq::http::{HeaderMap, HeaderValue};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Error, Proxy, Timeout};

use super::MAX_TIME;
use super::address::Address;
use super::key::Key;
use super::quote::quote;

const MAX_BYTES: u64 = 1 << 20;

const MAX_ERROR_BYTES: u64 = 64 << 10;

/// A provider that cannot be reached by then is tried again.
const CONNECT_TIME: Duration = Duration::from_secs(15);

/// Before the second and the third try, where the provider does not say how long.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_millis(1500)];

/// For whoever stands behind a proxy that opens what passes through it.
const CERTIFICATE: &str =
    "behind a proxy with a certificate of its own, SSL_CERT_FILE names the file that holds it";

/// What one API of models has of its own.
pub(super) struct Protocol {
    pub backend: &'static str,
    pub path: &'static str,
    /// The header with the key, and what stands before the key in it.
    pub key_header: (&'static str, &'static str),
    pub headers: &'static [(&'static str, &'static str)],
    /// Whether a server on this machine is free: it may also be a way to one that is paid.
    pub is_free_here: bool,
    pub body: fn(&HttpModel, &Request, Form) -> Value,
    /// What is tried after a server did not understand a form.
    pub other_form: fn(Form, &str) -> Option<Form>,
    pub completion: fn(&Value, &Request) -> Result<Completion, NoAnswer>,
}

/// What servers of one API differ in.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Whether it knows a field for the schema of the answer.
    pub has_schema: bool,
    /// Whether it knows the newer name of the limit.
    pub has_new_limit: bool,
}

pub(super) struct HttpModel {
    pub protocol: &'static Protocol,
    pub address: Address,
    pub model: String,
    key: Option<Key>,
    agent: Agent,
    /// Learned from what the server said.
    form: Cell<Form>,
}

/// What one try brought, if no answer.
struct Failed {
    failure: NoAnswer,
    again: Again,
}

/// Whether it may be tried again.
enum Again {
    Never,
    /// After a time that the provider may have stated.
    Later(Option<Duration>),
    /// If there is another form, after this complaint.
    OtherForm(String),
}

impl HttpModel {
    pub(super) fn new(
        protocol: &'static Protocol,
        address: Address,
        model: String,
        key: Option<Key>,
        certificates: RootCerts,
    ) -> Self {
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
        let form = Cell::new(Form { has_schema: true, has_new_limit: false });
        HttpModel { protocol, address, model, key, agent: config.new_agent(), form }
    }

    fn try_once(&self, request: &Request, left: Duration) -> Result<Value, Failed> {
        let Protocol { path, key_header: (header, before), headers, .. } = *self.protocol;
        let mut post = self.agent.post(self.address.below(path));
        for (name, value) in headers {
            post = post.header(*name, HeaderValue::from_static(value));
        }
        if let Some(key) = self.key.as_ref().and_then(|key| key.header(before)) {
            post = post.header(header, key);
        }
        let post = post.header("content-type", "application/json");
        let post = post.config().timeout_global(Some(left));
        let post = post.timeout_connect(Some(left.min(CONNECT_TIME))).build();
        let body = (self.protocol.body)(self, request, self.form.get());
        let mut response = post.send(body.to_string()).map_err(|error| self.unanswered(&error))?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let reader = response.body_mut().as_reader();
        if (200..300).contains(&status) {
            return self.read(reader, request);
        }
        let mut bytes = Vec::new();
        // Half of an explanation is better than none.
        let _ = reader.take(MAX_ERROR_BYTES).read_to_end(&mut bytes);
        let said = String::from_utf8_lossy(&bytes).into_owned();
        let failure = self.refused(status, &said, request);
        let again = match status {
            400 | 422 => Again::OtherForm(said),
            429 | 500 | 503 | 529 => Again::Later(retry_after),
            _ => Again::Never,
        };
        Err(Failed { failure, again })
    }

    fn read(&self, reader: impl Read, request: &Request) -> Result<Value, Failed> {
        let mut bytes = Vec::new();
        let read = reader.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        let failure = match read {
            Err(error) => format!("the answer broke off: {error}"),
            Ok(_) if bytes.len() as u64 > MAX_BYTES => "the answer is longer than 1 MiB".to_owned(),
            Ok(_) => match serde_json::from_slice::<Value>(&bytes) {
                // Some routers say with 200 that whom they asked has failed.
                Ok(answer) if !answer["error"].is_null() => {
                    let said = self.quote(&answer.to_string(), request);
                    format!("{} failed: {said}", self.address.host())
                }
                Ok(answer) => return Ok(answer),
                Err(_) => "the answer is no JSON".to_owned(),
            },
        };
        Err(Failed { failure: NoAnswer::failed(failure, None), again: Again::Never })
    }

    /// What the provider's no means, in words that hold neither the key nor what was sent.
    fn refused(&self, status: u16, said: &str, request: &Request) -> NoAnswer {
        let host = self.address.host();
        let reason = match (status, self.quote(said, request)) {
            (300..400, _) => {
                format!("{host} answered with a redirect ({status}), which is not followed")
            }
            (_, quote) if quote.is_empty() => format!("{host} answered {status}"),
            (_, quote) => format!("{host} answered {status}: {quote}"),
        };
        match status {
            // Overloaded or too many: nothing was begun.
            300..500 | 503 | 529 => NoAnswer::free(reason),
            _ => NoAnswer::failed(reason, None),
        }
    }

    /// What an error means that came before any answer.
    fn unanswered(&self, error: &Error) -> Failed {
        use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};
        const UNREACHABLE: [std::io::ErrorKind; 3] =
            [ConnectionRefused, HostUnreachable, NetworkUnreachable];
        let (host, cause) = (self.address.host(), error.to_string());
        if cause.contains("invalid peer certificate") {
            let reason = format!("{host} is not who it says: {cause}; {CERTIFICATE}");
            return Failed { failure: NoAnswer::free(reason), again: Again::Never };
        }
        let is_proxy = matches!(
            error,
            Error::InvalidProxyUrl | Error::ConnectProxyFailed(_) | Error::BadUri(_)
        );
        let is_unreachable = match error {
            Error::Timeout(Timeout::Connect | Timeout::Resolve) => true,
            Error::HostNotFound | Error::ConnectionFailed => true,
            Error::Io(io) => {
                UNREACHABLE.contains(&io.kind()) || cause.contains("failed to lookup address")
            }
            _ => is_proxy,
        };
        let failure = match error {
            _ if is_unreachable => NoAnswer::free(format!("{host} cannot be reached: {cause}")),
            Error::Timeout(_) => NoAnswer::failed(format!("no answer of {host} in time"), None),
            _ => NoAnswer::failed(format!("the connection to {host} broke: {cause}"), None),
        };
        let is_worth_more = is_unreachable && !is_proxy || matches!(error, Error::Io(_));
        let again = if is_worth_more { Again::Later(None) } else { Again::Never };
        Failed { failure, again }
    }

    fn quote(&self, said: &str, request: &Request) -> String {
        quote(said, self.key.as_ref(), &request.text)
    }
}

impl Model for HttpModel {
    fn backend(&self) -> &str {
        self.protocol.backend
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_free(&self) -> bool {
        self.protocol.is_free_here && self.address.is_loopback()
    }

    fn complete(&self, request: &Request) -> Result<Completion, NoAnswer> {
        let until = Instant::now() + request.limits.time.min(MAX_TIME);
        let left = || until.saturating_duration_since(Instant::now());
        let mut pauses = PAUSES.iter();
        let mut is_free = true;
        loop {
            let Failed { mut failure, again } = match self.try_once(request, left()) {
                Ok(answer) => return (self.protocol.completion)(&answer, request),
                Err(failed) => failed,
            };
            // Somebody may have been paid for an earlier try.
            is_free &= failure.is_free;
            failure.is_free = is_free;
            let wait = match again {
                Again::Never => return Err(failure),
                Again::OtherForm(said) => {
                    match (self.protocol.other_form)(self.form.get(), &said) {
                        Some(other) => {
                            self.form.set(other);
                            Duration::ZERO
                        }
                        None => return Err(failure),
                    }
                }
                Again::Later(stated) => match pauses.next() {
                    Some(usual) => stated.unwrap_or(*usual),
                    None => return Err(failure),
                },
            };
            if wait >= left() {
                return Err(failure);
            }
            std::thread::sleep(wait);
        }
    }
}

/// The seconds that `Retry-After` states. Providers of models write no dates there.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The name of a tool as protocols allow it.
pub(super) fn tool_name(request: &Request) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    request.shape.name.chars().map(plain).take(64).collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::backend::anthropic::ANTHROPIC;

    #[test]
    fn what_was_never_sent_is_known() {
        let address = Address::parse("https://models.example.com").expect("an address");
        let model = HttpModel::new(&ANTHROPIC, address, String::new(), None, RootCerts::WebPki);
        let lookup = "failed to lookup address information: Name or service not known";
        let certificate = "invalid peer certificate: UnknownIssuer";
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        for (error, is_free, is_worth_more) in [
            (Error::Io(refused), true, true),
            (Error::Io(io::Error::other(lookup)), true, true),
            (Error::HostNotFound, true, true),
            (Error::Timeout(Timeout::Connect), true, true),
            (Error::Io(io::Error::other(certificate)), true, false),
            (Error::ConnectProxyFailed("407".to_owned()), true, false),
            (Error::Io(io::Error::from(io::ErrorKind::ConnectionReset)), false, true),
            (Error::Io(io::Error::from(io::ErrorKind::UnexpectedEof)), false, true),
            (Error::Timeout(Timeout::Global), false, false),
            (Error::Tls("no"), false, false),
        ] {
            let Failed { failure, again } = model.unanswered(&error);
            let again = matches!(again, Again::Later(_));
            assert_eq!((failure.is_free, again), (is_free, is_worth_more), "{error:?}");
            assert!(failure.reason.contains("models.example.com"), "{failure}");
        }
    }

    #[test]
    fn a_provider_says_how_long() {
        let stated = |value: &'static str| {
            let header = HeaderValue::from_static(value);
            retry_after(&HeaderMap::from_iter([(ureq::http::header::RETRY_AFTER, header)]))
        };
        assert_eq!(stated("3"), Some(Duration::from_secs(3)));
        assert_eq!(stated(" 0.25 "), Some(Duration::from_millis(250)));
        for odd in ["", "soon", "-1", "1e300"] {
            assert_eq!(stated(odd), None, "{odd}");
        }
    }
}
