//! What the connection itself may do: nothing is sent elsewhere, for too long, or too often.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use hardwon_engine::model::{Completion, NoAnswer};
use hardwon_foreign::backend::{Backend, Setup};
use serde_json::{Value, json};

use super::server::{Piece, Server, chunk, chunked, whole};
use super::{FREE, KEY, PAID, ask, check_failure, request, setup, text, within};

fn fine() -> Value {
    json!({
        "model": "m", "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [{"type": "tool_use", "name": "memory_reflect", "input": {"summary": "fine"}}],
    })
}

fn error(message: &str) -> Vec<u8> {
    text(&json!({"type": "error", "error": {"message": message}}))
}

fn asked_of(server: &Server) -> Result<Completion, NoAnswer> {
    ask(&setup(Backend::Anthropic, server), &request())
}

fn asked_within(server: &Server, milliseconds: u64) -> (Result<Completion, NoAnswer>, Duration) {
    let started = Instant::now();
    let request = within(Duration::from_millis(milliseconds));
    (ask(&setup(Backend::Anthropic, server), &request), started.elapsed())
}

#[test]
fn a_full_provider_is_asked_again_when_it_says() {
    for status in [429, 500, 503, 529] {
        let later = (status, "Retry-After: 1\r\n", error("later"));
        let server = Server::answering(&[later, (200, "", text(&fine()))]);
        let started = Instant::now();
        assert!(asked_of(&server).is_ok(), "{status}");
        assert!(started.elapsed() >= Duration::from_secs(1), "{status}");
        let asked = server.asked();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[0].body, asked[1].body);
    }
}

#[test]
fn nobody_is_asked_more_than_three_times() {
    for (status, is_free) in [(429, FREE), (503, FREE), (529, FREE), (500, PAID)] {
        let server = Server::answering(&[(status, "Retry-After: 0\r\n", error("never"))]);
        check_failure(asked_of(&server), is_free, &format!("answered {status}: never"));
        assert_eq!(server.asked().len(), 3, "{status}");
    }
    // Nobody knows whether the first of them was paid for.
    let server = Server::answering(&[
        (500, "Retry-After: 0\r\n", error("oh")),
        (429, "Retry-After: 0\r\n", error("no")),
    ]);
    check_failure(asked_of(&server), PAID, "answered 429");
    let script = [(500, "Retry-After: 0\r\n", error("oh")), (401, "", error("no"))];
    for backend in [Backend::Anthropic, Backend::OpenAi] {
        let server = Server::answering(&script);
        check_failure(ask(&setup(backend, &server), &request()), PAID, "answered 401");
    }
    // What other errors mean is not known: they are not asked again.
    for status in [502, 504] {
        let server = Server::answering(&[(status, "", error("gateway"))]);
        check_failure(asked_of(&server), PAID, "gateway");
        assert_eq!(server.asked().len(), 1, "{status}");
    }
}

#[test]
fn a_wait_that_is_too_long_is_not_begun() {
    let server = Server::answering(&[(429, "Retry-After: 3600\r\n", error("tomorrow"))]);
    let (done, taken) = asked_within(&server, 5_000);
    check_failure(done, FREE, "tomorrow");
    assert!(taken < Duration::from_secs(4), "{taken:?}");
    assert_eq!(server.asked().len(), 1);
}

#[track_caller]
fn check_deadline(pieces: Vec<Piece>) {
    let server = Server::new(vec![pieces]);
    let (done, taken) = asked_within(&server, 1_000);
    let failure = done.expect_err("no answer was expected");
    assert!(!failure.is_free, "{failure}");
    assert!(taken >= Duration::from_millis(900) && taken < Duration::from_secs(5), "{taken:?}");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_slow_answer_ends_at_the_deadline() {
    let never = Piece::Wait(Duration::from_secs(20));
    check_deadline(vec![never.clone()]);
    let body = text(&fine());
    let head = whole(200, "", &body).into_iter().next().expect("a head");
    check_deadline(vec![head.clone(), never]);
    let slow = Piece::Endless(b" ".to_vec(), Duration::from_millis(30));
    check_deadline(vec![head, slow]);
    let ping = Piece::Endless(b"8\r\n: ping\n\n\r\n".to_vec(), Duration::from_millis(30));
    check_deadline(vec![chunked("text/event-stream"), ping]);
}

#[test]
fn a_cut_connection_is_asked_again_only_if_nothing_came() {
    let server = Server::new(vec![vec![], whole(200, "", &text(&fine()))]);
    assert!(asked_of(&server).is_ok());
    assert_eq!(server.asked().len(), 2);

    let server = Server::new(vec![vec![]]);
    check_failure(asked_of(&server), PAID, "broke");
    assert_eq!(server.asked().len(), 3);

    let body = text(&fine());
    let mut cut = whole(200, "", &body);
    cut[1] = Piece::Send(body[..20].to_vec());
    let server = Server::new(vec![cut]);
    check_failure(asked_of(&server), PAID, "broke off");
    assert_eq!(server.asked().len(), 1, "an answer that was begun may be paid for");
}

#[test]
fn a_server_that_speaks_no_http_is_lost() {
    let server = Server::new(vec![vec![Piece::Send(b"220 mail ready\r\n\r\n".to_vec())]]);
    check_failure(asked_of(&server), PAID, "127.0.0.1");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn an_answer_without_end_is_cut_off() {
    let long = "x".repeat(2 << 20);
    let server = Server::answering(&[(200, "", text(&json!({"content": long})))]);
    check_failure(asked_of(&server), PAID, "longer than 1 MiB");
    let Piece::Send(part) = chunk(&[b'x'; 9000]) else { panic!("a chunk is sent") };
    let endless = Piece::Endless(part, Duration::ZERO);
    let server = Server::new(vec![vec![chunked("application/json"), endless]]);
    check_failure(asked_of(&server), PAID, "longer than 1 MiB");
    // An error of any length is quoted briefly.
    let server = Server::answering(&[(400, "", error(&"y".repeat(2 << 20)))]);
    let failure = check_failure(asked_of(&server), FREE, "answered 400");
    assert!(failure.reason.chars().count() < 300, "{failure}");
}

#[test]
fn no_redirect_is_followed() {
    for status in [301, 302, 303, 307, 308] {
        let other = Server::answering(&[(200, "", text(&fine()))]);
        let there = format!("Location: {}/v1/messages\r\n", other.url());
        let server = Server::answering(&[(status, &there, Vec::new())]);
        check_failure(asked_of(&server), FREE, "redirect");
        assert_eq!(server.asked()[0].header("x-api-key"), Some(KEY));
        assert!(other.asked().is_empty(), "{status} was followed");
    }
}

#[test]
fn a_connection_that_is_refused_costs_nothing() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("its address").port()
    };
    let base_url = Some(format!("http://127.0.0.1:{port}"));
    let setup = Setup { base_url, ..Setup::of(Backend::Anthropic) };
    check_failure(ask(&setup, &request()), FREE, "cannot be reached");
}

#[test]
fn nothing_is_sent_in_the_open() {
    for base in ["http://192.0.2.1/v1", "http://example.com", "ftp://127.0.0.1", "http://0.0.0.0"] {
        for backend in [Backend::Anthropic, Backend::OpenAi] {
            let started = Instant::now();
            let (base_url, key_command) = (Some(base.to_owned()), Some(format!("echo {KEY}")));
            let setup = Setup { base_url, key_command, ..Setup::of(backend) };
            check_failure(ask(&setup, &request()), FREE, "reflect.base_url");
            assert!(started.elapsed() < Duration::from_secs(2), "{base} was tried");
        }
    }
}
