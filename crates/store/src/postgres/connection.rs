//! How is the server reached? By a URL, whose password is never printed. To another machine nothing
//! goes in the clear, and only to who shows a certificate for the server's name, unless the URL says
//! otherwise.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hardwon_core::percent;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::client::Client;
use super::encrypted::Encrypted;
use super::trouble::{Tried, Trouble};
use crate::{Result, StoreError};

/// How long a server is waited for that does not answer.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Between attempts to connect; the longer, the more often it was tried.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(320);

/// What the server is told about who asks.
const PROGRAM: &str = "hardwon";

#[derive(Clone)]
pub(super) struct Server {
    /// One for each server that the URL names, in its order.
    configs: Vec<Config>,
    /// None: it is on this machine, or the URL wants it so.
    encrypted: Option<Encrypted>,
    /// In words, without the password.
    pub place: String,
    /// How long it is waited for.
    limit: Duration,
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
        let Asked { url: plain, mode, trusted } = Asked::of(url);
        let mut config: Config =
            plain.parse().map_err(
                |error: tokio_postgres::Error| match std::error::Error::source(&error) {
                    Some(source) => unusable(format!("its URL cannot be read: {source}")),
                    None => unusable("its URL cannot be read".to_owned()),
                },
            )?;
        let is_encrypted = match mode.as_deref() {
            Some("disable") => false,
            None | Some("allow" | "prefer") => !config.get_hosts().iter().all(is_here),
            Some("require" | "verify-ca" | "verify-full") => {
                !config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)))
            }
            Some(_) => {
                let known = "disable, require, verify-ca and verify-full";
                return Err(unusable(format!("its URL has an sslmode other than {known}")));
            }
        };
        let unreadable = |error| unusable(format!("its sslrootcert cannot be used: {error}"));
        let encrypted = || Encrypted::new(trusted.as_deref().map(Path::new)).map_err(unreadable);
        let encrypted = is_encrypted.then(encrypted).transpose()?;
        config.ssl_mode(if is_encrypted { SslMode::Require } else { SslMode::Disable });
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_LIMIT);
        }
        if config.get_application_name().is_none() {
            config.application_name(PROGRAM);
        }
        let place = in_words(&config);
        Ok(Server { configs: one_each(config), encrypted, place, limit: CONNECT_LIMIT })
    }

    /// The same for somebody who does not wait longer than this for any of them.
    pub(super) fn within(mut self, limit: Duration) -> Self {
        self.limit = self.limit.min(limit);
        for config in &mut self.configs {
            let stated = config.get_connect_timeout().copied();
            config.connect_timeout(stated.unwrap_or(limit).min(limit));
        }
        self
    }

    /// Connects. A server that is starting, or has as many clients as it takes, is asked again.
    pub(super) fn connect(&self) -> Tried<Client> {
        let until = Instant::now() + self.limit;
        let mut pause = PAUSE;
        loop {
            match self.connect_once() {
                Err(trouble) if trouble.is_passing() && Instant::now() + pause < until => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                done => return done,
            }
        }
    }

    /// One server after the other: one that does not answer does not keep us from the next.
    fn connect_once(&self) -> Tried<Client> {
        let mut last = Err(Trouble::Refused("its URL names no server"));
        for config in &self.configs {
            let limit = config.get_connect_timeout().copied().unwrap_or(CONNECT_LIMIT);
            last = Client::connect(config, self.encrypted.as_ref(), limit);
            if last.is_ok() {
                break;
            }
        }
        last
    }
}

/// The same for each of several servers.
fn one_each(config: Config) -> Vec<Config> {
    let (hosts, ports) = (config.get_hosts(), config.get_ports());
    // What says more than this about each of them is left as it is, and so is what cannot be right.
    let is_simple = config.get_hostaddrs().is_empty() && [0, 1, hosts.len()].contains(&ports.len());
    if hosts.len() < 2 || !is_simple {
        return vec![config];
    }
    let one = |(at, host): (usize, &Host)| {
        let mut one = Config::new();
        match host {
            Host::Tcp(name) => one.host(name),
            Host::Unix(path) => one.host_path(path),
        };
        ports.get(at).or(ports.first()).map(|port| one.port(*port));
        config.get_user().map(|user| one.user(user));
        config.get_password().map(|password| one.password(password));
        config.get_dbname().map(|name| one.dbname(name));
        config.get_options().map(|options| one.options(options));
        config.get_application_name().map(|name| one.application_name(name));
        config.get_connect_timeout().map(|limit| one.connect_timeout(*limit));
        config.get_tcp_user_timeout().map(|limit| one.tcp_user_timeout(*limit));
        one.keepalives(config.get_keepalives()).keepalives_idle(config.get_keepalives_idle());
        one.ssl_mode(config.get_ssl_mode()).channel_binding(config.get_channel_binding());
        one.target_session_attrs(config.get_target_session_attrs());
        one
    };
    hosts.iter().enumerate().map(one).collect()
}

/// A URL without what is said in it about encryption.
struct Asked {
    url: String,
    mode: Option<String>,
    /// A file with certificates of whom to trust.
    trusted: Option<PathBuf>,
}

impl Asked {
    fn of(url: &str) -> Asked {
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let mut asked = Asked { url: place.to_owned(), mode: None, trusted: None };
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", mode)) => asked.mode = Some(mode.to_owned()),
                Some(("sslrootcert", path)) => {
                    let path = String::from_utf8_lossy(&percent::decoded(path)).into_owned();
                    asked.trusted = Some(path.into());
                }
                _ => rest.push(pair),
            }
        }
        if !rest.is_empty() {
            asked.url += &format!("?{}", rest.join("&"));
        }
        asked
    }
}

/// Whether it is this machine, by its name.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) if name == "localhost" => true,
        Host::Tcp(name) => name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
    }
}

/// Database, user and server, as people name them.
fn in_words(config: &Config) -> String {
    let ports = config.get_ports();
    let host = |(at, host): (usize, &Host)| {
        let name = match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        };
        // One port is that of all servers.
        let port = ports.get(at).or(ports.first());
        port.map_or(name.clone(), |port| format!("{name}:{port}"))
    };
    let hosts: Vec<String> = config.get_hosts().iter().enumerate().map(host).collect();
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let database = config.get_dbname().map(|name| format!("/{name}")).unwrap_or_default();
    format!("postgres://{user}{}{database}", hosts.join(","))
}

/// The URL of any store, as it may be printed.
pub(super) fn told(url: &str) -> String {
    if !url.starts_with("postgres:") && !url.starts_with("postgresql:") {
        return url.to_owned();
    }
    match Asked::of(url).url.parse::<Config>() {
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
    fn several_servers_are_told_with_their_ports() {
        let cases = [
            ("a,b/team", "a:5432,b:5432/team"),
            ("a:5433,b:5434/team?target_session_attrs=read-write", "a:5433,b:5434/team"),
        ];
        for (url, place) in cases {
            let server = Server::parse(&format!("postgres://ada@{url}")).unwrap();
            assert_eq!(server.place, format!("postgres://ada@{place}"));
            assert_eq!(server.configs.len(), 2, "{url}");
        }
    }

    #[test]
    fn only_this_machine_is_talked_to_in_the_clear() {
        let cases = [
            ("postgres://ada@db.example/team", true),
            ("postgres://ada@db.example/team?sslmode=prefer", true),
            ("postgres://ada@db.example/team?sslmode=verify-full&connect_timeout=3", true),
            ("postgres://ada@db.example/team?sslmode=disable", false),
            ("postgres://ada@db.example,localhost/team", true),
            ("postgres://ada@127.0.0.1/team", false),
            ("postgres://ada@localhost:5433/team", false),
            ("postgres://ada@localhost/team?sslmode=require", true),
            ("postgres://ada@/team?host=/run/postgresql", false),
            ("postgres://ada@/team?host=/run/postgresql&sslmode=require", false),
        ];
        for (url, is_encrypted) in cases {
            let server = Server::parse(url).unwrap();
            assert_eq!(server.encrypted.is_some(), is_encrypted, "{url}");
        }
        let said = |url: &str| Server::parse(url).unwrap_err().to_string();
        assert!(said("postgres://ada@db.example/team?sslmode=maybe").contains("sslmode"));
        let nowhere = said("postgres://ada@db.example/team?sslrootcert=/no/such%20file");
        assert!(nowhere.contains("sslrootcert"), "{nowhere}");
    }
}
