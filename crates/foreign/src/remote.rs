//! The server of a team, asked by whoever has a token: two questions, each answered with one object.

use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::HeaderValue;
use ureq::tls::TlsConfig;

use crate::backend::{Address, Forbidden, Key, certificates};

/// The most bytes of an answer.
const MAX_BYTES: u64 = 64 << 20;

/// How long a question may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Where a team is, and by what one is known there.
pub struct Remote {
    address: Address,
    key: Key,
    project: Option<String>,
    agent: Agent,
}

impl Remote {
    /// Errors: in words, with the setting that is wrong.
    pub fn new(url: &str, token: &str, project: Option<String>) -> Result<Remote, String> {
        let address = Address::parse(url).map_err(told)?;
        let key = Key::new(token.trim()).ok_or("the file of share.token_file holds no token")?;
        let certificates = certificates().map_err(|error| error.reason)?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(LIMIT))
            .tls_config(TlsConfig::builder().root_certs(certificates).build())
            .user_agent(concat!("hardwon/", env!("CARGO_PKG_VERSION")));
        // What is sent to this machine never passes through another one.
        let config = if address.is_loopback() { config.proxy(None) } else { config };
        Ok(Remote { address, key, project, agent: config.build().new_agent() })
    }

    /// Hands in lessons, as a file of ours.
    pub fn propose(&self, export: &str) -> Result<Value, String> {
        let request = self.agent.post(self.url()).header("authorization", self.bearer()?);
        let request = request.header("content-type", "application/json");
        self.heard(request.send(json!({ "export": export }).to_string()))
    }

    /// What was approved there, as a file of ours.
    pub fn approved(&self) -> Result<Value, String> {
        self.heard(self.agent.get(self.url()).header("authorization", self.bearer()?).call())
    }

    fn url(&self) -> String {
        let named = self.project.as_deref().map(hardwon_core::percent::encoded);
        let query = named.map(|project| format!("?project={project}")).unwrap_or_default();
        format!("{}{query}", self.address.below("/api/v1/shared"))
    }

    fn bearer(&self) -> Result<HeaderValue, String> {
        self.key.header("Bearer ").ok_or_else(|| "the token cannot be sent".to_owned())
    }

    fn heard(
        &self,
        answered: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Value, String> {
        let host = self.address.host();
        let mut response = answered.map_err(|error| format!("{host}: {error}"))?;
        let status = response.status().as_u16();
        let text = response.body_mut().with_config().limit(MAX_BYTES).read_to_string();
        let text = text.map_err(|error| format!("{host}: {error}"))?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        match status {
            200..300 if value.is_object() => Ok(value),
            200..300 => Err(format!("{host} is no server of hardwon")),
            _ => {
                let detail = value.get("detail").and_then(Value::as_str).unwrap_or_default();
                let detail = hardwon_core::gate::without_control(detail);
                Err(format!("{host} answered {status} {detail}").trim_end().to_owned())
            }
        }
    }
}

fn told(forbidden: Forbidden) -> String {
    match forbidden {
        Forbidden::NoAddress => "share.url is no address: it begins with https:// and a host",
        Forbidden::Open => "share.url must begin with https://; http:// is for this machine alone",
        Forbidden::Login => "share.url must not hold a name or a password",
        Forbidden::Query => "share.url ends before `?` and `#`",
    }
    .to_owned()
}
