//! What does the world around say? Keys, and whom to trust: the only place of backends that reads
//! the environment.

use hardwon_engine::model::NoAnswer;
use hardwon_store::files;
use ureq::tls::{PemItem, RootCerts, parse_pem};

use super::key::Key;
use super::process::printed;

const MAX_CERTIFICATES: u64 = 16 << 20;

pub(super) fn key_of_variable(variable: &str) -> Result<Key, NoAnswer> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty());
    let value = value.ok_or_else(|| NoAnswer::free(format!("no key: {variable} is not set")))?;
    value.to_str().and_then(Key::new).ok_or_else(|| NoAnswer::free(no_key(variable)))
}

/// The key that a command prints in its first line.
pub(super) fn key_of_command(command: &str) -> Result<Key, NoAnswer> {
    let printed = printed(command, b"")
        .map_err(|reason| NoAnswer::free(format!("no key: `reflect.key_command` {reason}")))?;
    let printed = String::from_utf8(printed).unwrap_or_default();
    let line = printed.trim_start().lines().next().unwrap_or_default();
    Key::new(line).ok_or_else(|| NoAnswer::free(no_key("what `reflect.key_command` prints")))
}

fn no_key(what: &str) -> String {
    format!("no key: {what} is none; a key is one word of plain characters")
}

/// Whom to trust: the file that `SSL_CERT_FILE` names, as for other programs, or the roots that
/// browsers trust.
pub(crate) fn certificates() -> Result<RootCerts, NoAnswer> {
    let Some(path) = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) else {
        return Ok(RootCerts::WebPki);
    };
    let shown = path.to_string_lossy();
    let bytes = files::read_linked(path.as_ref(), MAX_CERTIFICATES)
        .map_err(|error| NoAnswer::free(format!("SSL_CERT_FILE {shown}: {error}")))?;
    let certificates = parse_pem(&bytes).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    match certificates.is_empty() {
        true => Err(NoAnswer::free(format!("SSL_CERT_FILE {shown} holds no certificate"))),
        false => Ok(RootCerts::new_with_certs(&certificates)),
    }
}
