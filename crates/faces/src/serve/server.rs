//! From a request to an answer. Everything that touches memory runs on a thread of its own: stores
//! block.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body as HttpBody;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use hardwon_engine::people::Role;
use hardwon_render::page;

use super::answers::{html, let_in, with_type};
use super::body::take;
use super::door::{Guest, Refusal, Via, guest};
use super::fields::{Fields, segments};
use super::house::House;
use super::keys::is_same;
use super::route::{Ask, Reply, Route, Takes, find};
use super::trouble::Trouble;
use super::{live, over_mcp, sign_in};
use crate::hands::Hand;

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A server that is open: what it has, what can be asked, and its door for agents.
pub struct Open {
    pub house: Arc<House>,
    pub table: Vec<Route>,
    pub mcp: over_mcp::Services,
}

pub async fn handle(State(open): State<Arc<Open>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let wants_page = wants_page(&parts.headers);
    let answered = respond(&open, parts, body).await;
    let mut response = answered.unwrap_or_else(|trouble| {
        let is_unknown = trouble.status == StatusCode::UNAUTHORIZED && open.house.is_team;
        match is_unknown && wants_page {
            true => sign_in::page(trouble.status, Some(&trouble.message)),
            false => refused(&trouble, wants_page),
        }
    });
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, CSP),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Nothing goes to others; without any, browsers call the origin of our own forms `null`.
    let referrer = HeaderValue::from_static("same-origin");
    headers.entry(header::REFERRER_POLICY).or_insert(referrer);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether a person looks at it.
fn wants_page(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

async fn respond(open: &Open, parts: Parts, body: HttpBody) -> Result<Response, Trouble> {
    let house = &open.house;
    if house.names.check(&parts.headers).is_err() {
        return Ok(StatusCode::FORBIDDEN.into_response());
    }
    let path = segments(parts.uri.path());
    let words: Vec<&str> = path.iter().flatten().map(String::as_str).collect();
    let query = Fields::parse(parts.uri.query().unwrap_or_default());
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    if let (["assets", name], true) = (words.as_slice(), is_read) {
        return asset(name);
    }
    let token = house.token.read().unwrap_or_default();
    let code = query.as_ref().and_then(|query| query.get("code"));
    if let ([""], true, Some(code)) = (words.as_slice(), is_read, code) {
        return enter(house, code, &token);
    }
    if let (["enter"], true) = (words.as_slice(), house.is_team) {
        return sign_in::answer(house, &parts, body, &token).await;
    }
    let is_team = house.is_team;
    let known = guest(&parts.headers, &parts.method, &house.names, &house.keys, &token, is_team);
    let mut guest = match known {
        Ok(guest) => guest,
        Err(Refusal::Nobody) if wants_page(&parts.headers) => return Ok(nobody(house)),
        Err(Refusal::Nobody) => return Ok(StatusCode::UNAUTHORIZED.into_response()),
        Err(Refusal::Host | Refusal::Origin) => return Ok(StatusCode::FORBIDDEN.into_response()),
    };
    let found = find(&open.table, &parts.method, path.as_deref().unwrap_or_default());
    guest.needs = match (words.as_slice(), &found) {
        (["mcp"], _) => Role::Writer,
        (_, Ok((route, _))) => route.needs,
        (_, Err(_)) => Role::Reader,
    };
    let share = house.hands.share(guest.whose());
    let project = query.as_ref().and_then(|query| query.get("project"));
    let member = house.admit(&share, &guest, project).await?;
    // Whoever gets here is in.
    path.as_ref().ok_or_else(Trouble::not_found)?;
    let query = query.ok_or_else(|| Trouble::wrong("the address is not UTF-8"))?;
    match words.as_slice() {
        ["mcp"] => return over_mcp::answer(&open.mcp, &guest, member, &share, parts, body).await,
        ["api", "v1", "events"] if is_read => {
            return live::follow(house, share, guest, query, parts.headers).await;
        }
        _ => {}
    }
    let (route, ids) = found.map_err(not_here)?;
    check_sender(route, &guest, &parts)?;
    check_query(route, &query)?;
    let (handle, headers) = (route.handle, parts.headers);
    let body = take(body, route.takes.limits(), &share).await?;
    let work = move |house: &House, hand: &Hand| {
        if cfg!(debug_assertions) && headers.contains_key("x-hardwon-fault") {
            panic!("asked for by a test; nobody can in what people install");
        }
        handle(&mut Ask { hand, house, guest: &guest, ids, query, headers, body })
    };
    Ok(replied(house.ask(&share, work).await?, parts.method == Method::HEAD))
}

/// A path that is not there, or not by this method.
fn not_here(methods: Vec<Method>) -> Trouble {
    if methods.is_empty() {
        return Trouble::not_found();
    }
    let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
    let names = names.join(", ");
    let message = format!("this path takes {names}");
    let trouble = Trouble::new(StatusCode::METHOD_NOT_ALLOWED, message, "");
    Trouble { allow: Some(names), ..trouble }
}

/// A parameter that nobody reads is a typing error, and would be missed.
fn check_query(route: &Route, query: &Fields) -> Result<(), Trouble> {
    let is_api = route.path.starts_with("/api/");
    let is_known = |name: &&str| *name == "project" || route.query.contains(name);
    match query.names().find(|name| is_api && !is_known(name)) {
        Some(_) => {
            let known = ["project"].iter().chain(route.query).copied().collect::<Vec<_>>();
            let known = known.join(", ");
            Err(Trouble::wrong(format!("a parameter is not known; there are: {known}")))
        }
        None => Ok(()),
    }
}

/// A browser that changes something by the API hands back the token of its page, as forms do.
fn check_sender(route: &Route, guest: &Guest, parts: &Parts) -> Result<(), Trouble> {
    let is_api_write = matches!(route.takes, Takes::Json | Takes::Record);
    if guest.via == Via::Http || !is_api_write {
        return Ok(());
    }
    let given = parts.headers.get("x-csrf-token").and_then(|value| value.to_str().ok());
    if given.is_some_and(|given| is_same(given, &guest.csrf)) {
        return Ok(());
    }
    let hint = "send the token of the page in X-Csrf-Token";
    Err(Trouble::new(StatusCode::FORBIDDEN, "not from a page of this session", hint))
}

/// The page's cookie for a code, and a place without it.
fn enter(house: &House, code: &str, token: &str) -> Result<Response, Trouble> {
    let entered = house.keys.enter(code, token, Instant::now()).map_err(|_| Trouble::fault())?;
    let Some(cookie) = entered else { return Ok(nobody(house)) };
    Ok(let_in(house, &cookie, false))
}

/// A page for somebody without a cookie: nothing of memory, only how to come in.
fn nobody(house: &House) -> Response {
    if house.is_team {
        return sign_in::page(StatusCode::UNAUTHORIZED, None);
    }
    let page = page::trouble(&page::Trouble {
        status: 401,
        title: "Who is there?",
        message: "This page opens with a code, which is good once and for five minutes.",
        hint: "hardwon serve --code",
    });
    html(StatusCode::UNAUTHORIZED, page)
}

fn refused(trouble: &Trouble, wants_page: bool) -> Response {
    let mut response = if wants_page {
        let title = trouble.status.canonical_reason().unwrap_or("Error");
        html(
            trouble.status,
            page::trouble(&page::Trouble {
                status: trouble.status.as_u16(),
                title,
                message: &trouble.message,
                hint: trouble.hint.as_deref().unwrap_or_default(),
            }),
        )
    } else {
        with_type(trouble.status, "application/problem+json", trouble.json().to_string())
    };
    let allow = trouble.allow.as_deref().and_then(|names| HeaderValue::from_str(names).ok());
    if let Some(allow) = allow {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    // What else comes on this connection is the rest of a body that nobody reads.
    let is_cut = [
        StatusCode::PAYLOAD_TOO_LARGE,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    if is_cut.contains(&trouble.status) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn replied(reply: Reply, is_head: bool) -> Response {
    let mut response = match reply {
        Reply::Html(page) => html(StatusCode::OK, page),
        Reply::See(place) => Redirect::to(&place).into_response(),
        Reply::Json { status, value, etag } => {
            let mut response = with_type(status, "application/json", format!("{value}\n"));
            let etag = etag.and_then(|tag| HeaderValue::from_str(&format!("\"{tag}\"")).ok());
            if let Some(etag) = etag {
                response.headers_mut().insert(header::ETAG, etag);
            }
            response
        }
    };
    if is_head {
        *response.body_mut() = HttpBody::empty();
    }
    response
}

fn asset(name: &str) -> Result<Response, Trouble> {
    let (kind, bytes) = page::asset(name).ok_or_else(Trouble::not_found)?;
    let kept = (header::CACHE_CONTROL, "private, max-age=3600");
    Ok(([(header::CONTENT_TYPE, kind), kept], bytes).into_response())
}
