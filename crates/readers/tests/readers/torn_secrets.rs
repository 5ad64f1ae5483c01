//! Readers cut long texts before the gate sees them. No cut may leave the half of a secret:
//! the gate would not recognize it.

use hardwon_readers::{Format, lean_object, read};
use serde_json::json;

/// Made up, and whole it is known by its beginning.
fn secret() -> String {
    ["gh", "p_aB3dE5gH7jK9lM1nO3pQ5rS7tU9vW1xY3zA5"].concat()
}

/// Texts whose secret stands around `at`, at every place where a cut there could tear it.
fn texts(at: usize) -> impl Iterator<Item = String> {
    let secret = secret();
    (0..secret.len() + 8).step_by(3).map(move |back| {
        let words = "the retry loop forgets its limit, ".repeat(at / 30 + 2);
        let start = words.floor_char_boundary(at.saturating_sub(back + 6));
        format!("{} token {secret} {}", &words[..start], "and more is said. ".repeat(200))
    })
}

/// Whether a part of the secret is left where the whole is not.
fn is_torn(shown: &str) -> bool {
    let secret = secret();
    let rest = shown.replace(&secret, "");
    let parts = secret.as_bytes().windows(8).map(|part| std::str::from_utf8(part).unwrap());
    parts.into_iter().any(|part| rest.contains(part))
}

#[track_caller]
fn check(format: Format, limits: &[usize], document: impl Fn(&str) -> String) {
    let mut n_cut = 0;
    for text in limits.iter().flat_map(|limit| texts(*limit)) {
        let document = document(&text);
        let record = read("input", document.as_bytes(), Some(format)).expect("it is read");
        let shown = format!("{record:?}");
        assert!(!is_torn(&shown), "{shown}");
        n_cut += usize::from(!shown.contains(&text));
    }
    assert!(n_cut > 0, "nothing was cut");
}

#[test]
fn sarif() {
    check(Format::Sarif, &[1500, 16 << 10], |text| {
        let results = json!([{ "ruleId": "r", "level": "error", "message": { "text": text } }]);
        let tool = json!({ "driver": { "name": "lint" } });
        json!({ "version": "2.1.0", "runs": [{ "tool": tool, "results": results }] }).to_string()
    });
}

#[test]
fn junit() {
    check(Format::Junit, &[1500, 8 << 10], |text| {
        format!(
            "<testsuite name=\"s\"><testcase name=\"a\" classname=\"b\">\
             <failure message=\"assertion failed\">{text}</failure></testcase></testsuite>"
        )
    });
}

#[test]
fn comments_on_github() {
    check(Format::Github, &[1500, 16 << 10], |text| {
        json!([{ "path": "a.rs", "line": 3, "body": text, "user": { "login": "ann" } }]).to_string()
    });
}

#[test]
fn logs_of_commands() {
    check(Format::RunLog, &[500], |text| {
        format!("$ make one\nerror: {text}\n[exit 1]\n$ make two\nok\n[exit 0]\n")
    });
}

#[test]
fn events_of_hosts() {
    for at in [(256 << 10) / 2, 300 << 10] {
        for text in texts(at) {
            let long = format!("{text}{}", "the output goes on. ".repeat(20_000));
            let event = json!({ "output": long, "end": format!("{long}{text}") }).to_string();
            let object = lean_object(event.as_bytes()).expect("it is an object");
            for field in ["output", "end"] {
                assert!(!is_torn(object[field].as_str().unwrap()));
            }
        }
    }
}
