//! Live messages, as server-sent events: the stream that `hardwon log --events` prints, whoever writes
//! it. Each listener follows the file by itself, so a slow one holds up nobody.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hardwon_engine::answer::{Event, Message, MessageWithLessons};
use hardwon_engine::history;
use hardwon_engine::listen::{Listener, Wanted};
use hardwon_engine::time::Timestamp;
use hardwon_engine::{Access, ids::ProjectId};
use hardwon_render::{archivist, json};
use http_body::Frame;
use serde_json::json;
use tokio::sync::mpsc;

use super::door::Guest;
use super::fields::Fields;
use super::house::House;
use super::trouble::Trouble;
use crate::hands::{Hand, Share};

/// How often the stream is looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// A listener hears something at least this often, so that both ends notice a dead connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Who does not take a message for so long is dropped.
const PATIENCE: Duration = Duration::from_secs(10);

/// What somebody listens to.
struct Subject {
    guest: Guest,
    project: Option<ProjectId>,
    is_archivist: bool,
    /// The number of the last message that was had.
    after: Option<u64>,
    since: Option<Timestamp>,
}

/// Follows until the listener or the server leaves.
pub async fn follow(
    house: &Arc<House>,
    share: Arc<Share>,
    guest: Guest,
    query: Fields,
    headers: HeaderMap,
) -> Result<Response, Trouble> {
    let subject = move |house: &House, hand: &Hand| subject(house, hand, guest, &query, &headers);
    let subject = house.ask(&share, subject).await?;
    let Ok(place) = Arc::clone(&house.listeners).try_acquire_owned() else {
        let hint = "close another page, or try again later";
        return Err(Trouble::new(StatusCode::SERVICE_UNAVAILABLE, "too many listen", hint));
    };
    let (send, receive) = mpsc::channel(16);
    let house = Arc::clone(house);
    tokio::spawn(async move {
        tell(&house, share, subject, send).await;
        drop(place);
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((kind, Body::new(Told(receive))).into_response())
}

fn subject(
    house: &House,
    hand: &Hand,
    guest: Guest,
    query: &Fields,
    headers: &HeaderMap,
) -> Result<Subject, Trouble> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let after = last.or(query.get("after")).map(str::parse).transpose();
    let after = after.map_err(|_| Trouble::wrong("Last-Event-ID is a number"))?;
    let since = match query.get("since") {
        Some(text) => {
            let wrong = || Trouble::wrong("`since` is a time as in RFC 3339");
            Some(Timestamp::parse(text).ok_or_else(wrong)?)
        }
        None => None,
    };
    let is_archivist = match query.get("style") {
        None | Some("hardwon") => false,
        Some("archivist") => true,
        Some(_) => return Err(Trouble::wrong("`style` is hardwon or archivist")),
    };
    let is_all = query.get("all_projects").is_some() && guest.member.is_none();
    let call = house.desk.lend(hand, &guest, query.get("project"), Access::Read)?.call.clone();
    let project = (!is_all).then_some(call.project);
    Ok(Subject { guest, project, is_archivist, after, since })
}

/// Sends what is there and what comes.
async fn tell(house: &Arc<House>, share: Arc<Share>, subject: Subject, send: mpsc::Sender<Bytes>) {
    let wanted = Wanted { project: subject.project.clone(), since: subject.since };
    let Ok(mut listener) = Listener::new(&house.desk.environment, wanted) else { return };
    let subject = Arc::new(subject);
    let mut closing = house.closing.clone();
    let mut is_first = true;
    let mut quiet = Duration::ZERO;
    loop {
        let (house, subject) = (Arc::clone(house), Arc::clone(&subject));
        let look = move |hand: &Hand| {
            let text = news(&house, hand, &subject, &mut listener, is_first);
            (listener, text)
        };
        let Ok((back, mut text)) = share.ask(look).await else { return };
        listener = back;
        if is_first && text.is_empty() || quiet >= KEEP_ALIVE {
            text.push_str(": listening\n\n");
        }
        is_first = false;
        if text.is_empty() {
            quiet += PAUSE;
        } else {
            quiet = Duration::ZERO;
            let sent = tokio::time::timeout(PATIENCE, send.send(Bytes::from(text))).await;
            if !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = closing.changed() => return,
            () = send.closed() => return,
        }
    }
}

/// What to say now. At first only what came after the message that was had last.
fn news(
    house: &House,
    hand: &Hand,
    subject: &Subject,
    listener: &mut Listener,
    is_first: bool,
) -> String {
    let mut messages = listener.next_messages();
    let mut text = String::new();
    if is_first {
        match (subject.after, subject.since) {
            (Some(after), _) => {
                if listener.has_gap_after(after) {
                    text.push_str(&format!("data: {}\n\n", json!({"type": "gap"})));
                }
                messages.retain(|message| message.number.is_some_and(|number| number > after));
            }
            (None, Some(_)) => {}
            (None, None) => messages.clear(),
        }
    }
    for (number, event) in shown(house, hand, subject, messages) {
        if let Some(number) = number {
            text.push_str(&format!("id: {number}\n"));
        }
        text.push_str(&format!("data: {event}\n\n"));
    }
    text
}

fn shown(
    house: &House,
    hand: &Hand,
    subject: &Subject,
    messages: Vec<Message>,
) -> Vec<(Option<u64>, serde_json::Value)> {
    if messages.is_empty() {
        return Vec::new();
    }
    let project = subject.project.as_ref().map(ProjectId::as_str);
    let Ok(open) = house.desk.lend(hand, &subject.guest, project, Access::Read) else {
        return Vec::new();
    };
    let named = history::with_lessons(open.memory(), messages).unwrap_or_default();
    let event = |one: &MessageWithLessons| match subject.is_archivist {
        true => archivist::message(one),
        false => Some(json::value(&Event::from(one))),
    };
    named.iter().filter_map(|one| Some((one.message.number, event(one)?))).collect()
}

/// A body that ends when its sender does.
struct Told(mpsc::Receiver<Bytes>);

impl http_body::Body for Told {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
