//! The Model Context Protocol over HTTP: the same tools as on standard input and output, behind the
//! same token. Whoever calls is an agent.

use std::sync::Arc;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::door::{Guest, Via};
use super::trouble::Trouble;
use crate::mcp::{Offer, Server};

pub type Mcp = StreamableHttpService<Server, LocalSessionManager>;

/// The service. Hosts and origins are checked at the door.
pub fn service(
    environment: &hardwon_engine::Environment,
    options: &hardwon_engine::Options,
) -> Mcp {
    let (environment, options) = (environment.clone(), options.clone());
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    let make = move || Ok(Server::of_connection(&environment, &options, Offer::All));
    StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config)
}

pub async fn answer(
    mcp: &Mcp,
    guest: &Guest,
    parts: Parts,
    body: Body,
) -> Result<Response, Trouble> {
    if guest.via != Via::Http {
        let hint = "send Authorization: Bearer with the token in serve.token";
        return Err(Trouble::new(StatusCode::FORBIDDEN, "agents come with the token", hint));
    }
    let response = mcp.handle(Request::from_parts(parts, body)).await;
    Ok(response.map(Body::new))
}
