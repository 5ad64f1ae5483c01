//! Bodies of requests, taken in as a whole before anybody works on them.

use std::time::{Duration, Instant};

use axum::body::{Body as HttpBody, Bytes};
use axum::http::StatusCode;
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::trouble::Trouble;
use crate::hands::{Room, Share};

/// How long somebody may be silent in the middle of a body.
const SILENCE: Duration = Duration::from_secs(20);

/// How much of a body is taken in, and how long it may take: somebody who sends a byte now and then
/// is not served.
pub struct Limits {
    n_bytes: usize,
    time: Duration,
}

impl Limits {
    pub const NONE: Limits = Limits { n_bytes: 0, time: Duration::ZERO };
    pub const SHORT: Limits = Limits { n_bytes: 1 << 20, time: Duration::from_secs(60) };
    /// A call of an agent.
    pub const CALL: Limits = Limits { n_bytes: 4 << 20, ..Limits::SHORT };
    pub const RECORD: Limits = Limits { n_bytes: 256 << 20, time: Duration::from_secs(600) };
}

/// A body that is here, and the room that it takes.
#[derive(Default)]
pub struct Taken {
    pub bytes: Vec<u8>,
    _room: Room,
}

/// Takes a body in. If it does not come whole nothing is done with it.
pub async fn take(mut body: HttpBody, limits: Limits, share: &Share) -> Result<Taken, Trouble> {
    let (mut bytes, mut room) = (Vec::new(), Room::default());
    if limits.n_bytes == 0 {
        return Ok(Taken::default());
    }
    let until = Instant::now() + limits.time;
    let full = || {
        let message = "too much is being sent at once";
        Trouble::new(StatusCode::SERVICE_UNAVAILABLE, message, "try again later")
    };
    room.grow(share, 0).then_some(()).ok_or_else(full)?;
    while let Some(chunk) = next(&mut body, until).await? {
        let n_bytes = bytes.len() + chunk.len();
        if n_bytes > limits.n_bytes {
            let hint = "send it in parts";
            return Err(Trouble::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long", hint));
        }
        room.grow(share, n_bytes).then_some(()).ok_or_else(full)?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(Taken { bytes, _room: room })
}

/// The next piece of a body.
async fn next(body: &mut HttpBody, until: Instant) -> Result<Option<Bytes>, Trouble> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let frame = timeout(SILENCE.min(left), body.frame()).await;
        let slow = || Trouble::new(StatusCode::REQUEST_TIMEOUT, "the body did not come", "");
        match frame.map_err(|_| slow())? {
            None => return Ok(None),
            Some(Err(_)) => return Err(Trouble::wrong("the body was cut off")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}
