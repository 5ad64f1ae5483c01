//! May anything be sent to this address? Only by https, or to this very machine.

use std::net::IpAddr;

use ureq::http::Uri;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Without a slash at its end.
    base: String,
    host: String,
    is_loopback: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    #[error("`reflect.base_url` is no address: it begins with https:// and a host")]
    NoAddress,
    #[error("`reflect.base_url` must begin with https://; http:// is for this machine alone")]
    Open,
    #[error("`reflect.base_url` must not hold a name or a password: `reflect.key_env` is for keys")]
    Login,
    #[error("`reflect.base_url` ends before `?` and `#`")]
    Query,
}

impl Address {
    pub fn parse(base: &str) -> Result<Self, Forbidden> {
        let base = base.trim().trim_end_matches('/');
        if base.contains('#') {
            return Err(Forbidden::Query);
        }
        let uri: Uri = base.parse().map_err(|_| Forbidden::NoAddress)?;
        let authority = uri.authority().ok_or(Forbidden::NoAddress)?;
        if authority.as_str().contains('@') {
            return Err(Forbidden::Login);
        }
        if uri.query().is_some() {
            return Err(Forbidden::Query);
        }
        let host = authority.host().to_ascii_lowercase();
        let is_loopback = is_loopback(&host);
        match uri.scheme_str() {
            _ if host.is_empty() => Err(Forbidden::NoAddress),
            Some("https") => Ok(()),
            Some("http") if is_loopback => Ok(()),
            Some("http") => Err(Forbidden::Open),
            _ => Err(Forbidden::NoAddress),
        }?;
        Ok(Address { base: base.to_owned(), host, is_loopback })
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// The address of something below it. A version that the base already has is not repeated.
    pub(crate) fn below(&self, path: &str) -> String {
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let base = self.base.strip_suffix(first).filter(|rest| rest.ends_with('/'));
        format!("{}{path}", base.unwrap_or(&self.base).trim_end_matches('/'))
    }
}

/// Spellings that only some resolvers take for this machine are not.
fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine() {
        for (base, is_loopback) in [
            ("https://api.openai.com/v1", false),
            ("HTTPS://API.example.com/", false),
            ("https://127.0.0.1:8443", true),
            ("http://127.0.0.1:11434/v1", true),
            ("http://127.3.2.1", true),
            ("http://localhost:1234/v1/", true),
            ("http://LOCALHOST", true),
            ("http://[::1]:8000", true),
        ] {
            let address = Address::parse(base).unwrap_or_else(|error| panic!("{base}: {error}"));
            assert_eq!(address.is_loopback(), is_loopback, "{base}");
        }
        for (base, why) in [
            ("http://api.openai.com/v1", Forbidden::Open),
            ("http://192.168.0.7:11434", Forbidden::Open),
            ("http://0.0.0.0:11434", Forbidden::Open),
            ("http://127.0.0.1.example.com", Forbidden::Open),
            ("http://localhost.example.com", Forbidden::Open),
            ("http://localhost.", Forbidden::Open),
            ("http://127.1", Forbidden::Open),
            ("http://2130706433", Forbidden::Open),
            ("http://[::ffff:127.0.0.1]", Forbidden::Open),
            ("http://localhost@example.com", Forbidden::Login),
            ("https://name:word@example.com", Forbidden::Login),
            ("http://localhost#@example.com", Forbidden::Query),
            ("https://example.com/v1?key=1", Forbidden::Query),
            ("ftp://localhost", Forbidden::NoAddress),
            ("file:///etc/passwd", Forbidden::NoAddress),
            ("localhost:11434", Forbidden::NoAddress),
            ("api.openai.com/v1", Forbidden::NoAddress),
            ("https://", Forbidden::NoAddress),
            ("https://exa mple.com", Forbidden::NoAddress),
            ("", Forbidden::NoAddress),
        ] {
            assert_eq!(Address::parse(base), Err(why), "{base}");
        }
    }

    #[test]
    fn a_version_is_not_repeated() {
        for (base, path, whole) in [
            ("https://a.example", "/v1/messages", "https://a.example/v1/messages"),
            ("https://a.example/v1/", "/v1/messages", "https://a.example/v1/messages"),
            ("https://a.example/x/v1", "/v1/messages", "https://a.example/x/v1/messages"),
            ("https://a.example/xv1", "/v1/messages", "https://a.example/xv1/v1/messages"),
            ("https://a.example/v1", "/chat/completions", "https://a.example/v1/chat/completions"),
        ] {
            assert_eq!(Address::parse(base).map(|it| it.below(path)), Ok(whole.to_owned()));
        }
    }
}
