//! Who knocks? Before anything else of a request is looked at: is it meant for this server, does
//! it come from a page of its own, and whose is it?

use std::time::Instant;

use axum::http::{HeaderMap, HeaderName, Method, header};
use hardwon_engine::digest;
use hardwon_engine::voice::Speaker;

pub use super::keys::{Guest, Via};
use super::keys::{Keys, Ticket, is_same};

/// Why somebody stays outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Meant for another name than ours: a page that had its name point here.
    Host,
    /// From a page of somebody else's.
    Origin,
    /// Neither token nor cookie, or a wrong one.
    Nobody,
}

/// The names under which this server may be called, and the port that its cookie is named after.
#[derive(Clone, Debug)]
pub struct Names {
    pub hosts: Vec<String>,
    pub port: u16,
}

impl Names {
    /// A cookie is sent to every port of a host: its name says whose it is.
    pub fn cookie(&self) -> String {
        format!("hardwon-{}", self.port)
    }

    /// Whether it was meant for us, by a page of ours or by no page.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_ours = |name: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
        let mut hosts = headers.get_all(header::HOST).iter();
        match (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) {
            (Some(host), None) if is_ours(host) => {}
            _ => return Err(Refusal::Host),
        }
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let name = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
            if !name.is_some_and(is_ours) {
                return Err(Refusal::Origin);
            }
        }
        Ok(())
    }
}

/// Who asks: by the token, or by the cookie of a code. A cookie that changes anything has to come
/// from a page of ours, whatever the browser thinks of cookies.
pub fn guest(
    headers: &HeaderMap,
    method: &Method,
    names: &Names,
    keys: &Keys,
    token: &str,
    is_team: bool,
) -> Result<Guest, Refusal> {
    if let Some(given) = bearer(headers) {
        let is_known = !token.is_empty() && is_same(given, token);
        let ticket = || Ticket { digest: digest(given.as_bytes()), project: None };
        let member = (is_team && !is_known).then(ticket);
        return if is_known || member.is_some() {
            Ok(Guest::new(Speaker::default(), Via::Http, String::new(), member))
        } else {
            Err(Refusal::Nobody)
        };
    }
    let cookie = cookie(headers, &names.cookie()).ok_or(Refusal::Nobody)?;
    let guest = keys.visitor(cookie, token, Instant::now()).ok_or(Refusal::Nobody)?;
    let is_safe = matches!(*method, Method::GET | Method::HEAD);
    let is_cross = site(headers).is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if !is_safe && is_cross {
        return Err(Refusal::Origin);
    }
    Ok(guest)
}

/// What browsers say of where a request comes from.
fn site(headers: &HeaderMap) -> Option<&str> {
    headers.get(HeaderName::from_static("sec-fetch-site"))?.to_str().ok()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(known, _)| known.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names { hosts: vec!["127.0.0.1:80".into(), "localhost:80".into()], port: 80 }
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), value.parse().unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn only_what_is_meant_for_us() {
        let cases: &[(&[(&str, &str)], _)] = &[
            (&[("host", "127.0.0.1:80")], Ok(())),
            (&[("host", "LOCALHOST:80")], Ok(())),
            (&[("host", "localhost:80"), ("origin", "http://127.0.0.1:80")], Ok(())),
            (&[], Err(Refusal::Host)),
            (&[("host", "evil.example")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1:81")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1:80.evil.example")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1:80"), ("origin", "null")], Err(Refusal::Origin)),
            (&[("host", "127.0.0.1:80"), ("origin", "http://evil")], Err(Refusal::Origin)),
            (&[("host", "127.0.0.1:80"), ("origin", "")], Err(Refusal::Origin)),
        ];
        for (given, expected) in cases {
            let given: Vec<_> = given.to_vec();
            assert_eq!(names().check(&headers(&given)), *expected, "{given:?}");
        }
    }

    #[test]
    fn a_token_is_a_script_and_a_cookie_whoever_asked_for_its_code() {
        let (keys, now) = (Keys::default(), Instant::now());
        let ask = |pairs: HeaderMap, method: &Method, token: &str| {
            guest(&pairs, method, &names(), &keys, token, false).map(|it| (it.via, it.speaker))
        };
        let bearer = |value| headers(&[("authorization", value)]);
        let script = Ok((Via::Http, Speaker::default()));
        assert_eq!(ask(bearer("Bearer t"), &Method::POST, "t"), script);
        assert_eq!(ask(bearer("bearer t"), &Method::GET, "t"), script);
        for wrong in ["Bearer x", "Bearer ", "Basic t", "t"] {
            assert_eq!(ask(bearer(wrong), &Method::GET, "t"), Err(Refusal::Nobody), "{wrong}");
        }
        assert_eq!(ask(bearer("Bearer "), &Method::GET, ""), Err(Refusal::Nobody), "no token");
        assert_eq!(ask(headers(&[]), &Method::GET, "t"), Err(Refusal::Nobody));
        let code = keys.code(Speaker::person(), "t", now).unwrap();
        let cookie = keys.enter(&code, "t", now).unwrap().unwrap();
        let with = |more: &[(&'static str, &'static str)]| {
            let mut all = headers(more);
            all.insert("cookie", format!("a=b; hardwon-80={cookie}").parse().unwrap());
            all
        };
        let person = Ok((Via::Page, Speaker::person()));
        assert_eq!(ask(with(&[]), &Method::GET, "t"), person);
        assert_eq!(ask(with(&[("sec-fetch-site", "same-origin")]), &Method::POST, "t"), person);
        let cross = with(&[("sec-fetch-site", "cross-site")]);
        assert_eq!(ask(cross, &Method::POST, "t"), Err(Refusal::Origin));
        assert_eq!(ask(with(&[]), &Method::GET, "new"), Err(Refusal::Nobody));
    }
}
