//! Chat completions.

use hardwon_engine::model::{Completion, NoAnswer};
use hardwon_foreign::backend::{Backend, open};
use serde_json::{Value, json};

use super::server::Server;
use super::{FREE, KEY, PAID, SAID, ask, check_failure, request, setup, text, took};

fn answer(reason: &str, message: &Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5-mini-2025-08-07",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": null}],
        "usage": {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100},
    })
}

fn said(content: &str) -> Value {
    answer("stop", &json!({"role": "assistant", "content": content, "refusal": null}))
}

fn asked_of(answer: &Value) -> Result<Completion, NoAnswer> {
    let server = Server::answering(&[(200, "", text(answer))]);
    ask(&setup(Backend::OpenAi, &server), &request())
}

#[test]
fn the_answer_is_asked_for_by_its_schema() {
    let server = Server::answering(&[(200, "", text(&said("{\"summary\": \"fine\"}")))]);
    let model = open(&setup(Backend::OpenAi, &server)).expect("it opens");
    assert_eq!((model.backend(), model.model(), model.is_free()), ("openai", "gpt-5-mini", true));
    let done = model.complete(&request()).expect("an answer");
    assert_eq!(done.value, json!({"summary": "fine"}));
    assert_eq!((done.took, done.model.as_str()), (took(80, 20), "gpt-5-mini-2025-08-07"));

    let asked = server.asked();
    let [asked] = asked.as_slice() else { panic!("asked once: {asked:?}") };
    assert!(asked.head.starts_with("POST /chat/completions HTTP/1.1"), "{}", asked.head);
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let body = &asked.body;
    assert_eq!((&body["stream"], &body["max_tokens"]), (&json!(false), &json!(500)));
    let schema = &body["response_format"]["json_schema"];
    assert_eq!(schema["name"], "memory_reflect");
    assert_eq!((&schema["strict"], &schema["schema"]), (&json!(true), &request().shape.schema));
    assert_eq!(body["messages"][1], json!({"role": "user", "content": SAID}));
}

#[test]
fn a_server_that_knows_no_schema_is_asked_in_its_own_way() {
    let complaint = |text: &str| json!({"error": {"message": text}}).to_string().into_bytes();
    let server = Server::answering(&[
        (400, "", complaint("Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'.")),
        (400, "", complaint("Invalid schema for response_format 'memory_reflect'")),
        (200, "", text(&said("Sure! {as you wish}\n```json\n{\"summary\": \"a } b\"}\n```"))),
    ]);
    let model = open(&setup(Backend::OpenAi, &server)).expect("it opens");
    for _ in 0..2 {
        let done = model.complete(&request()).expect("an answer");
        assert_eq!(done.value, json!({"summary": "a } b"}));
    }
    let asked = server.asked();
    let forms = asked.iter().map(|asked| asked.body["response_format"]["type"].as_str());
    let forms: Vec<Option<&str>> = forms.collect();
    let schema = Some("json_schema");
    assert_eq!(forms, [schema, schema, None, None], "it is learned once");
    assert_eq!(asked[1].body["max_completion_tokens"], 500);
    assert!(asked[1].body["max_tokens"].is_null());
    let words = asked[2].body["messages"][0]["content"].as_str().unwrap_or_default();
    assert!(words.contains("\"additionalProperties\":false"), "{words}");
}

#[test]
fn what_it_never_understands_is_a_refusal() {
    let error = json!({"error": {"message": "response_format, max_tokens, max_completion_tokens"}});
    let server = Server::answering(&[(400, "", text(&error))]);
    let done = ask(&setup(Backend::OpenAi, &server), &request());
    check_failure(done, FREE, "answered 400");
    assert_eq!(server.asked().len(), 3);
    for status in [400, 401, 403, 404] {
        let error = json!({"error": {"message": format!("no {KEY}"), "code": "x"}});
        let server = Server::answering(&[(status, "", text(&error))]);
        let done = ask(&setup(Backend::OpenAi, &server), &request());
        check_failure(done, FREE, &format!("answered {status}: no [key]"));
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn what_is_no_answer_is_told_with_what_it_took() {
    for (said, sign) in [
        (answer("length", &json!({"content": "{\"summary\": \"f"})), "limit of tokens"),
        (answer("content_filter", &json!({"content": ""})), "filter"),
        (answer("stop", &json!({"content": null, "refusal": "I cannot."})), "refused"),
        (said("I would rather not."), "no JSON object"),
        (said("[1, 2]"), "no JSON object"),
        (said("{\"summary\": "), "no JSON object"),
        (answer("stop", &json!({"content": null})), "empty"),
    ] {
        let failure = check_failure(asked_of(&said), PAID, sign);
        assert_eq!(failure.took, took(80, 20), "{sign}");
    }
    let failure = check_failure(asked_of(&json!({"choices": []})), PAID, "empty");
    assert_eq!(failure.took, None);
    check_failure(asked_of(&json!({"error": {"message": "upstream died"}})), PAID, "upstream died");
}

#[test]
fn content_may_come_in_parts_and_behind_thoughts() {
    let parts =
        json!([{"type": "text", "text": "{\"summary\":"}, {"type": "text", "text": "\"a\"}"}]);
    let thoughts = said("<think>{\"summary\": \"no\"}</think>{\"summary\": \"a\"}");
    for said in [answer("stop", &json!({"content": parts})), thoughts] {
        assert_eq!(asked_of(&said).expect("an answer").value, json!({"summary": "a"}));
    }
}
