//! Takes connections: no more at a time than a small machine bears, and each has to say what it
//! wants within a while.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// Connections at a time.
const MAX_CONNECTIONS: u32 = 512;

/// How long the head of a request may take, and the silence before the next one.
const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// After a connection could not be taken, for want of file handles mostly.
const PAUSE: Duration = Duration::from_millis(50);

/// What somebody hears for whom there is no place.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// Serves until it is told to close; what is being answered then is finished.
pub async fn accept(
    listener: TcpListener,
    router: Router,
    mut closing: watch::Receiver<bool>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS as usize));
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted.map(|(stream, _)| stream),
            _ = closing.changed() => break,
        };
        let Ok(stream) = stream else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            let _ = stream.try_write(FULL);
            continue;
        };
        let served = connection(stream, router.clone(), closing.clone());
        tokio::spawn(async move {
            served.await;
            drop(place);
        });
    }
    drop(listener);
    // All places are free again once the last answer is given.
    places.acquire_many(MAX_CONNECTIONS).await.map(drop).map_err(io::Error::other)
}

async fn connection(stream: TcpStream, router: Router, mut closing: watch::Receiver<bool>) {
    // Answers are short: waiting to fill a packet would only delay them.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_LIMIT);
    let service = TowerToHyperService::new(router);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // Somebody who hangs up in the middle is no trouble of ours.
        _ = connection.as_mut() => {}
        _ = closing.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
