//! The Model Context Protocol over HTTP: the same tools as on standard input and output, behind the
//! same token. Whoever calls is an agent, and in a team the agent of a member.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use hardwon_engine::people::Seat;
use hardwon_engine::voice::Speaker;
use hardwon_engine::{Environment, Options};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::body::{Limits, take};
use super::door::{Guest, Via};
use super::trouble::Trouble;
use crate::hands::Share;
use crate::mcp::{Offer, Server};

type Mcp = StreamableHttpService<Server, LocalSessionManager>;

/// Members whose conversations are held at the same time, at most.
const MAX_MEMBERS: usize = 256;

/// The conversations of those who have the token of this server, and those of each member of a team:
/// nobody gets into another one's.
pub struct Services {
    environment: Environment,
    options: Options,
    own: Mcp,
    members: Mutex<BTreeMap<(String, String), Mcp>>,
}

impl Services {
    pub fn new(environment: &Environment, options: &Options, share: Arc<Share>) -> Services {
        Services {
            environment: environment.clone(),
            options: options.clone(),
            own: service(environment, options, share),
            members: Mutex::default(),
        }
    }

    /// The conversations of a member, about one project.
    fn of_member(&self, seat: Seat, project: &str, share: &Arc<Share>) -> Result<Mcp, Trouble> {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (seat.digest.clone(), project.to_owned());
        if members.len() >= MAX_MEMBERS && !members.contains_key(&key) {
            let hint = "try again later";
            let busy = "too many agents are connected";
            return Err(Trouble::new(StatusCode::SERVICE_UNAVAILABLE, busy, hint));
        }
        let make = || {
            let speaker = Speaker::agent(format!("of {}", seat.member));
            let environment = Environment { speaker, seat: Some(seat), ..self.environment.clone() };
            let options = Options { project: Some(project.to_owned()), ..self.options.clone() };
            service(&environment, &options, Arc::clone(share))
        };
        Ok(members.entry(key).or_insert_with(make).clone())
    }
}

/// The service. Hosts and origins are checked at the door.
fn service(environment: &Environment, options: &Options, share: Arc<Share>) -> Mcp {
    let (environment, options) = (environment.clone(), options.clone());
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    let make =
        move || Ok(Server::of_connection(&environment, &options, Offer::All, Arc::clone(&share)));
    StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config)
}

/// Answers an agent, of a member of a team if it has a seat.
pub async fn answer(
    services: &Services,
    guest: &Guest,
    member: Option<(Seat, String)>,
    share: &Arc<Share>,
    parts: Parts,
    body: Body,
) -> Result<Response, Trouble> {
    if guest.via != Via::Http {
        let hint = "send Authorization: Bearer with the token in serve.token";
        return Err(Trouble::new(StatusCode::FORBIDDEN, "agents come with the token", hint));
    }
    let mcp = match member {
        None => services.own.clone(),
        Some((seat, project)) => services.of_member(seat, &project, share)?,
    };
    let taken = take(body, Limits::CALL, share).await?;
    let response = mcp.handle(Request::from_parts(parts, Body::from(taken.bytes))).await;
    Ok(response.map(Body::new))
}
