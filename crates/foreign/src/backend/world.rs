//! What does the world around say? Keys, and whom to trust: the only place of backends that reads
//! the environment.

use std::process::Command;
use std::time::{Duration, Instant};

use hardwon_engine::model::NoAnswer;
use hardwon_store::files;
use ureq::tls::{PemItem, RootCerts, parse_pem};

use super::failure::not_sent;
use super::key::Key;
use super::process::{Broken, run};

/// How long a command may take that prints a key; some ask the user.
const KEY_TIME: Duration = Duration::from_secs(10);

/// No file of certificates is larger.
const MAX_CERTIFICATES: u64 = 16 << 20;

/// The key that a variable holds.
pub(super) fn key_of_variable(variable: &str) -> Result<Key, NoAnswer> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty());
    let value = value.ok_or_else(|| not_sent(format!("no key: {variable} is not set")))?;
    value.to_str().and_then(Key::new).ok_or_else(|| not_sent(no_key(variable)))
}

/// The key that a command prints in its first line. It runs in a folder without anything of a
/// checkout, and what it says besides is not told: that could be the key.
pub(super) fn key_of_command(command: &str) -> Result<Key, NoAnswer> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir("/");
    let ended = run(&mut shell, b"", Instant::now() + KEY_TIME).map_err(|broken| {
        not_sent(match broken {
            Broken::NotStarted(error) => format!("no key: sh cannot be started: {error}"),
            Broken::Late => "no key: `reflect.key_command` did not end within 10 s".to_owned(),
            Broken::Flood => "no key: `reflect.key_command` printed more than 1 MiB".to_owned(),
        })
    })?;
    if ended.code != Some(0) {
        let code = ended.code.map_or("a signal".to_owned(), |code| code.to_string());
        return Err(not_sent(format!("no key: `reflect.key_command` ended with {code}")));
    }
    let printed = String::from_utf8(ended.stdout).unwrap_or_default();
    let line = printed.trim_start().lines().next().unwrap_or_default();
    Key::new(line).ok_or_else(|| not_sent(no_key("what `reflect.key_command` prints")))
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
        .map_err(|error| not_sent(format!("SSL_CERT_FILE {shown}: {error}")))?;
    let certificates = parse_pem(&bytes).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    match certificates.is_empty() {
        true => Err(not_sent(format!("SSL_CERT_FILE {shown} holds no certificate"))),
        false => Ok(RootCerts::new_with_certs(&certificates)),
    }
}
