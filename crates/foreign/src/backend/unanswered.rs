//! What does an error mean that came before any answer: was something sent, and is it worth
//! another try?

use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};

use hardwon_engine::model::NoAnswer;
use ureq::{Error, Timeout};

use super::failure::{lost, not_sent};

/// For whoever stands behind a proxy that opens what passes through it.
const CERTIFICATE: &str =
    "behind a proxy with a certificate of its own, SSL_CERT_FILE names the file that holds it";

/// The failure, and whether another try is worth it.
pub(super) fn unanswered(host: &str, error: &Error) -> (NoAnswer, bool) {
    let cause = error.to_string();
    let unreachable = || not_sent(format!("{host} cannot be reached: {cause}"));
    match error {
        Error::Timeout(Timeout::Connect | Timeout::Resolve) => (unreachable(), true),
        Error::HostNotFound | Error::ConnectionFailed => (unreachable(), true),
        Error::Io(io)
            if matches!(io.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable)
                || cause.contains("failed to lookup address") =>
        {
            (unreachable(), true)
        }
        Error::InvalidProxyUrl | Error::ConnectProxyFailed(_) | Error::BadUri(_) => {
            (unreachable(), false)
        }
        _ if cause.contains("invalid peer certificate") => {
            (not_sent(format!("{host} is not who it says: {cause}; {CERTIFICATE}")), false)
        }
        Error::Timeout(_) => (lost(format!("no answer of {host} in time")), false),
        Error::Io(_) => (lost(format!("the connection to {host} broke: {cause}")), true),
        _ => (lost(format!("{host} gave no proper answer: {cause}")), false),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use hardwon_engine::model::NoAnswerKind::{Lost, NotSent};

    use super::*;

    #[test]
    fn what_was_never_sent_is_known() {
        let lookup = "failed to lookup address information: Name or service not known";
        let certificate = "invalid peer certificate: UnknownIssuer";
        for (error, kind, is_worth_more) in [
            (Error::Io(io::Error::from(ConnectionRefused)), NotSent, true),
            (Error::Io(io::Error::other(lookup)), NotSent, true),
            (Error::HostNotFound, NotSent, true),
            (Error::Timeout(Timeout::Connect), NotSent, true),
            (Error::Io(io::Error::other(certificate)), NotSent, false),
            (Error::ConnectProxyFailed("407".to_owned()), NotSent, false),
            (Error::Io(io::Error::from(io::ErrorKind::ConnectionReset)), Lost, true),
            (Error::Io(io::Error::from(io::ErrorKind::UnexpectedEof)), Lost, true),
            (Error::Timeout(Timeout::Global), Lost, false),
            (Error::Tls("no"), Lost, false),
        ] {
            let (failure, again) = unanswered("models.example.com", &error);
            assert_eq!((failure.kind, again), (kind, is_worth_more), "{error:?}");
            assert!(failure.reason.contains("models.example.com"), "{failure}");
        }
    }
}
