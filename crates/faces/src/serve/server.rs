//! From a request to an answer. Everything that touches memory runs on a thread of its own: stores
//! block.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body as HttpBody;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use hardwon_engine::Access;
use hardwon_render::page;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::answers::{empty, html, let_in, see, with_type};
use super::body::{ChannelReader, Chunk, next, too_long, whole};
use super::door::{Guest, Refusal, Via, guest};
use super::fields::{Fields, segments};
use super::house::House;
use super::keys::is_same;
use super::route::{Ask, Body, Reply, Route, Takes, find};
use super::trouble::Trouble;
use super::{live, over_mcp, sign_in};

/// The most bytes of a record.
const MAX_RECORD: usize = 256 << 20;

/// The same of a record.
const RECORD_LIMIT: Duration = Duration::from_secs(600);

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(120);

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A server that is open: what it has, what can be asked, and its door for agents.
pub struct Open {
    pub house: Arc<House>,
    pub table: Vec<Route>,
    pub mcp: over_mcp::Services,
}

/// Every request.
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
        return Ok(empty(StatusCode::FORBIDDEN));
    }
    let path = segments(parts.uri.path()).ok_or_else(Trouble::not_found)?;
    let query = parts.uri.query().unwrap_or_default();
    let query = Fields::parse(query).ok_or_else(|| Trouble::wrong("the address is not UTF-8"))?;
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    if let ([folder, name], true) = (path.as_slice(), is_read)
        && folder == "assets"
    {
        return asset(name);
    }
    let token = house.token.read().unwrap_or_default();
    if let (true, Some(code), [root]) = (is_read, query.get("code"), path.as_slice())
        && root.is_empty()
    {
        return enter(house, code, &token);
    }
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    if let (["enter"], true) = (words.as_slice(), house.is_team) {
        return sign_in::answer(house, &parts, body, &token).await;
    }
    let is_team = house.is_team;
    let known = guest(&parts.headers, &parts.method, &house.names, &house.keys, &token, is_team);
    let mut guest = match known {
        Ok(guest) => guest,
        Err(Refusal::Nobody) if wants_page(&parts.headers) => return Ok(nobody(house)),
        Err(Refusal::Nobody) => return Ok(empty(StatusCode::UNAUTHORIZED)),
        Err(Refusal::Host | Refusal::Origin) => return Ok(empty(StatusCode::FORBIDDEN)),
    };
    match words.as_slice() {
        ["mcp"] => {
            let project = query.get("project").map(str::to_owned);
            return over_mcp::answer(&open.mcp, house, guest, project, parts, body).await;
        }
        ["api", "v1", "events"] if is_read => {
            return live::follow(house, &guest, &query, &parts.headers);
        }
        _ => {}
    }
    let (route, ids) = find(&open.table, &parts.method, &path).map_err(not_here)?;
    guest.needs = route.needs;
    check_sender(route, &guest, &parts)?;
    check_query(route, &query)?;
    let ask = Question { guest, ids, query, headers: parts.headers };
    let reply = match route.takes {
        Takes::Record => record(house, route, ask, body).await?,
        Takes::Nothing => work(house, route, ask, Body::Bytes(Vec::new())).await?,
        Takes::Json | Takes::Form => {
            let bytes = whole(body).await?;
            work(house, route, ask, Body::Bytes(bytes)).await?
        }
    };
    Ok(replied(reply, parts.method == Method::HEAD))
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

/// A request without its body.
struct Question {
    guest: Guest,
    ids: Vec<String>,
    query: Fields,
    headers: HeaderMap,
}

/// The work of a route, on a thread that may block.
async fn work(
    house: &Arc<House>,
    route: &Route,
    question: Question,
    body: Body,
) -> Result<Reply, Trouble> {
    let (house, handle) = (Arc::clone(house), route.handle);
    let work = tokio::task::spawn_blocking(move || {
        let Question { guest, ids, query, headers } = question;
        if cfg!(debug_assertions) && headers.contains_key("x-hardwon-fault") {
            panic!("asked for by a test; nobody can in what people install");
        }
        if guest.member.is_some() {
            house.desk.lend(&guest, query.get("project"), Access::Read)?;
        }
        handle(&mut Ask { house: &house, guest: &guest, ids, query, headers, body })
    });
    let late = || Trouble::new(StatusCode::SERVICE_UNAVAILABLE, "it took too long", "try again");
    match timeout(LIMIT, work).await {
        Err(_) => Err(late()),
        // The server is about to end.
        Ok(Err(_)) => Err(Trouble::fault()),
        Ok(Ok(reply)) => reply,
    }
}

/// A record, which is read as it comes. If it does not come whole nothing of it is learned.
async fn record(
    house: &Arc<House>,
    route: &Route,
    question: Question,
    mut body: HttpBody,
) -> Result<Reply, Trouble> {
    let (send, chunks) = mpsc::channel::<Chunk>(8);
    let reader = Body::Stream(Box::new(ChannelReader::new(chunks)));
    // The end of the body is the end of the channel, which ends with this.
    let pump = async move {
        let mut n_bytes = 0;
        let until = Instant::now() + RECORD_LIMIT;
        loop {
            let chunk = match next(&mut body, until).await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(()),
                Err(trouble) => {
                    let _ = send.send(Chunk::CutOff).await;
                    return Err(trouble);
                }
            };
            n_bytes += chunk.len();
            if n_bytes > MAX_RECORD {
                let _ = send.send(Chunk::CutOff).await;
                return Err(too_long());
            }
            // Nobody reads on: the answer is ready, and says why.
            if send.send(Chunk::Bytes(chunk)).await.is_err() {
                return Ok(());
            }
        }
    };
    let (pumped, worked) = tokio::join!(pump, work(house, route, question, reader));
    pumped?;
    worked
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
    let is_cut = [StatusCode::PAYLOAD_TOO_LARGE, StatusCode::REQUEST_TIMEOUT];
    if is_cut.contains(&trouble.status) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn replied(reply: Reply, is_head: bool) -> Response {
    let mut response = match reply {
        Reply::Html(page) => html(StatusCode::OK, page),
        Reply::See(place) => see(&place),
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
    let mut response = Response::new(HttpBody::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    Ok(response)
}
