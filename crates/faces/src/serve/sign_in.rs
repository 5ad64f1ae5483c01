//! How a member of a team comes in with a browser: by typing a token, once. The token itself is not
//! kept; the cookie stands for it, and is good as long as the token is.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use hardwon_engine::digest;
use hardwon_engine::voice::Speaker;
use hardwon_render::page;

use super::answers::{html, let_in};
use super::body::{Limits, take};
use super::door::{Guest, Via};
use super::fields::Fields;
use super::house::House;
use super::keys::Ticket;
use super::trouble::Trouble;

/// All who are not in yet share one share: no token is called so.
const STRANGERS: &str = "strangers";

/// The form, or what becomes of it.
pub async fn answer(
    house: &Arc<House>,
    parts: &Parts,
    body: Body,
    token: &str,
) -> Result<Response, Trouble> {
    if parts.method != Method::POST {
        return Ok(page(StatusCode::OK, None));
    }
    let taken = take(body, Limits::SHORT, &house.hands.share(STRANGERS)).await?;
    let text = std::str::from_utf8(&taken.bytes).ok();
    let form = text.and_then(Fields::parse).ok_or_else(|| Trouble::wrong("not a form"))?;
    let typed = |name: &str| form.get(name).map(str::trim).filter(|text| !text.is_empty());
    let Some(given) = typed("token") else {
        return Ok(page(StatusCode::UNAUTHORIZED, Some("A token is needed.")));
    };
    let ticket =
        Ticket { digest: digest(given.as_bytes()), project: typed("project").map(str::to_owned) };
    match admitted(house, ticket).await {
        Ok(ticket) => {
            let cookie = house.keys.enter_as(ticket, token, Instant::now());
            let cookie = cookie.map_err(|_| Trouble::fault())?;
            Ok(let_in(house, &cookie, is_far(parts)))
        }
        Err(trouble) if trouble.status.is_client_error() => {
            Ok(page(StatusCode::UNAUTHORIZED, Some(&trouble.message)))
        }
        Err(trouble) => Err(trouble),
    }
}

/// The same with the project that is meant from now on.
async fn admitted(house: &Arc<House>, ticket: Ticket) -> Result<Ticket, Trouble> {
    let member = Some(ticket.clone());
    let guest = Guest::new(Speaker::default(), Via::Page, String::new(), member);
    let share = house.hands.share(guest.whose());
    let (_, project) = house.admit(&share, &guest, None).await?.ok_or_else(Trouble::fault)?;
    Ok(Ticket { project: Some(project), ..ticket })
}

/// Whether the browser is on another machine: then a proxy encrypts what it sends.
fn is_far(parts: &Parts) -> bool {
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let name = host.unwrap_or_default().rsplit_once(':').map_or("", |(name, _)| name);
    !["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

pub fn page(status: StatusCode, refused: Option<&str>) -> Response {
    html(status, page::sign_in(refused))
}
