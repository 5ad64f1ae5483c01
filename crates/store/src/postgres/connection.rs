//! How is the server reached? By a URL, whose password is never printed. Nothing is sent in the clear to
//! whoever asks for encryption.

use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::{Client, Config, NoTls};

use super::trouble::{Tried, Trouble};
use crate::{Result, StoreError};

/// How long a server is waited for that does not answer.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// What the server is told about who asks.
const PROGRAM: &str = "hardwon";

/// Where the server is.
#[derive(Clone)]
pub(super) struct Server {
    config: Config,
    /// In words, without the password.
    pub place: String,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.place)
    }
}

impl Server {
    pub(super) fn parse(url: &str) -> Result<Self> {
        let unusable =
            |detail: String| StoreError::Unusable { place: without_password(url), detail };
        let mut config: Config = url.parse().map_err(|error: postgres::Error| {
            match std::error::Error::source(&error) {
                Some(source) => unusable(format!("its URL cannot be read: {source}")),
                None => unusable("its URL cannot be read".to_owned()),
            }
        })?;
        if config.get_ssl_mode() == SslMode::Require {
            let detail = "its URL asks for an encrypted connection (sslmode), which this program \
                          cannot make yet; use a socket or a tunnel";
            return Err(unusable(detail.to_owned()));
        }
        config.ssl_mode(SslMode::Disable);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_LIMIT);
        }
        if config.get_application_name().is_none() {
            config.application_name(PROGRAM);
        }
        let place = in_words(&config);
        Ok(Server { config, place })
    }

    pub(super) fn connect(&self) -> Tried<Client> {
        self.config.connect(NoTls).map_err(Trouble::Sql)
    }
}

/// Database, user and server, as people name them.
fn in_words(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    };
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    let ports: Vec<String> = config.get_ports().iter().map(|port| format!(":{port}")).collect();
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let database = config.get_dbname().map(|name| format!("/{name}")).unwrap_or_default();
    format!("postgres://{user}{}{}{database}", hosts.join(","), ports.join(","))
}

/// The URL of any store, as it may be printed.
pub(super) fn told(url: &str) -> String {
    if !url.starts_with("postgres:") && !url.starts_with("postgresql:") {
        return url.to_owned();
    }
    match url.parse::<Config>() {
        Ok(config) if config.get_password().is_none() => url.to_owned(),
        Ok(config) => in_words(&config),
        Err(_) => without_password(url),
    }
}

/// A URL that cannot be read, as far as it surely holds no password.
fn without_password(url: &str) -> String {
    let scheme = url.split_once("://").map_or("postgres", |(scheme, _)| scheme);
    format!("{scheme}://…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_told() {
        let urls = [
            "postgres://ada:secret@db.example:5433/team",
            "postgres://ada:secret@db.example/team?sslmode=require",
            "postgres://ada:secret@db.example/team?password=secret",
            "postgres://ada:secret@db.example/team?nonsense=secret",
            "postgres://ada:sec ret@[db",
        ];
        for url in urls {
            let told = match Server::parse(url) {
                Ok(server) => format!("{} {server:?}", server.place),
                Err(error) => error.to_string(),
            };
            let told = format!("{told} {}", super::told(url));
            assert!(!told.contains("secret") && told.contains("postgres://"), "{told}");
        }
        assert_eq!(told("sqlite:memory.db"), "sqlite:memory.db");
        let server = Server::parse(urls[0]).unwrap();
        assert_eq!(server.place, "postgres://ada@db.example:5433/team");
    }

    #[test]
    fn what_is_to_be_encrypted_is_not_sent_in_the_clear() {
        let asked = Server::parse("postgres://ada@db.example/team?sslmode=require");
        let said = asked.unwrap_err().to_string();
        assert!(said.contains("encrypted"), "{said}");
        assert!(Server::parse("postgres://ada@db.example/team?sslmode=verify-full").is_err());
    }
}
