//! `hardwon serve`: pages for people, an API for programs, live messages and MCP over HTTP, on one
//! port of this machine.
//!
//! A request goes through the door (is it meant for us, and whose is it?), to a row of the table of
//! routes, and to a thread on which memory is asked. Answers are those of the command line.

mod accept;
mod answers;
mod api;
mod body;
mod client;
mod desk;
mod door;
mod fields;
mod house;
mod keys;
mod live;
mod openapi;
mod over_mcp;
mod pages;
mod place;
mod route;
mod server;
mod sign_in;
mod trouble;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hardwon_engine::answer::Status;
use hardwon_engine::{Environment, Options, problems};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};

use crate::failure::Failure;
use crate::fault;
use crate::hands::{Hands, N_HANDS};
use desk::Desk;
use door::Names;
use house::House;
use keys::Keys;
pub use keys::new_token;
pub use place::{Listening, TokenFile};

/// How long what is being written may still take at the end.
const LAST_WRITE: Duration = Duration::from_secs(10);

/// So many may listen to live messages at once.
const MAX_LISTENERS: usize = 64;

/// How a server is started.
#[derive(Clone, Debug, Default)]
pub struct ServeRequest {
    /// Where to listen; a free port of this machine if it is left out.
    pub listen: Option<String>,
    /// Other names under which it may be called, behind a proxy.
    pub hosts: Vec<String>,
    /// A token file of the user's own; without it only this machine is listened to.
    pub token_file: Option<PathBuf>,
    /// Whether members of teams come with tokens of their own.
    pub is_team: bool,
}

/// The first address of the table that is no page's.
pub fn route_names() -> Vec<(String, &'static str)> {
    table().iter().map(|route| (route.method.to_string(), route.path)).collect()
}

fn table() -> Vec<route::Route> {
    api::routes().into_iter().chain(pages::routes()).collect()
}

/// Serves until it is told to stop. `ready` gets the address with a code, once it listens.
pub fn serve(
    environment: &Environment,
    options: &Options,
    request: &ServeRequest,
    ready: impl FnOnce(&str),
) -> Result<(), Failure> {
    let address = address(request)?;
    let token = TokenFile::of(environment, request.token_file.as_deref())?;
    token.read_or_make().map_err(|error| {
        Failure::usage(
            format!("the token {} cannot be used: {error}", token.path().display()),
            Some("`hardwon serve --new-token` makes another one"),
        )
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(N_HANDS)
        .build()
        .map_err(|error| trouble(&error))?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        let (close, closing) = watch::channel(false);
        let house = house(environment, options, request, listener.local_addr()?, token, closing);
        let url = house.new_code(environment.speaker.clone())?;
        let listening = Listening { url: house.url(), pid: std::process::id() };
        listening.write(environment)?;
        let about = environment.clone();
        fault::ends_the_call(move || {
            problems::note(&about, "serve", Status::Failed, fault::TOLD);
        });
        ready(&url);
        let mcp = over_mcp::Services::new(environment, options, house.hands.share(""));
        let open = server::Open { house, table: table(), mcp };
        let outcome = run(open, listener, close).await;
        listening.remove(environment);
        outcome
    });
    runtime.shutdown_timeout(LAST_WRITE);
    served.map_err(|error| trouble(&error))
}

fn house(
    environment: &Environment,
    options: &Options,
    request: &ServeRequest,
    address: SocketAddr,
    token: TokenFile,
    closing: watch::Receiver<bool>,
) -> Arc<House> {
    let port = address.port();
    let mut hosts = vec![address.to_string()];
    if address.ip().is_loopback() {
        hosts.extend([format!("localhost:{port}"), format!("127.0.0.1:{port}")]);
    }
    hosts.extend(request.hosts.iter().cloned());
    Arc::new(House {
        desk: Desk::new(environment.clone(), options.clone()),
        hands: Hands::default(),
        keys: Keys::default(),
        names: Names { hosts, port },
        token,
        is_team: request.is_team,
        listeners: Arc::new(Semaphore::new(MAX_LISTENERS)),
        closing,
    })
}

async fn run(
    open: server::Open,
    listener: TcpListener,
    close: watch::Sender<bool>,
) -> io::Result<()> {
    let router = axum::Router::new().fallback(server::handle).with_state(Arc::new(open));
    let (mut interrupted, mut ended) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let serving = accept::accept(listener, router, close.subscribe());
    let stop = async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = ended.recv() => {}
        }
        // Those who listen leave first: the rest is waited for.
        let _ = close.send(true);
        tokio::time::sleep(LAST_WRITE).await;
    };
    tokio::select! {
        served = serving => served,
        () = stop => Ok(()),
    }
}

/// Where to listen. Another address than this machine's own needs a token that somebody chose.
fn address(request: &ServeRequest) -> Result<SocketAddr, Failure> {
    let given = request.listen.as_deref().unwrap_or("127.0.0.1:0");
    let wrong = || {
        let hint = Some("for example: --listen 127.0.0.1:4040");
        Failure::usage(format!("{given} is not an address and a port"), hint)
    };
    let address: SocketAddr = match given.parse::<u16>() {
        Ok(port) => SocketAddr::from(([127, 0, 0, 1], port)),
        Err(_) => given.parse().map_err(|_| wrong())?,
    };
    let has_tokens = request.token_file.is_some() || request.is_team;
    if !address.ip().is_loopback() && !has_tokens {
        return Err(Failure::usage(
            format!("{given} can be reached from other machines"),
            Some("add --team, or --token-file FILE with a token of yours; and --host NAME:PORT"),
        ));
    }
    Ok(address)
}

fn trouble(error: &io::Error) -> Failure {
    let hint = Some("name another address with --listen, or 127.0.0.1:0 for a free port");
    Failure::at("serve", format!("cannot serve: {error}"), hint)
}

/// The server that was started last, if it answers.
pub fn status(environment: &Environment, token: &TokenFile) -> Option<Listening> {
    let running = Listening::read(environment)?;
    let token = token.read().ok()?;
    let (status, _) = client::ask(&running.url, &token, "GET", "/api/v1/status", "").ok()?;
    (status == 200).then_some(running)
}

/// An address with a new code of the server that runs.
pub fn new_code(
    environment: &Environment,
    token: &TokenFile,
    voice: &str,
) -> Result<String, Failure> {
    let hint = Some("start one with `hardwon serve`");
    let none = || Failure::usage("no server runs here", hint);
    let Listening { url, .. } = Listening::read(environment).ok_or_else(none)?;
    let token = token.read().map_err(|_| none())?;
    let body = serde_json::json!({ "voice": voice }).to_string();
    let asked = client::ask(&url, &token, "POST", "/api/v1/code", &body);
    let (status, answer) = asked.map_err(|_| none())?;
    let url = answer.get("url").and_then(serde_json::Value::as_str);
    match url {
        Some(url) if status == 201 => Ok(url.to_owned()),
        _ => Err(Failure::usage(format!("the server answered with {status}"), hint)),
    }
}
