//! Where keys come from, and who gets them.

use hardwon_foreign::backend::{Address, Backend, Setup, open};

use super::server::Server;
use super::{FREE, KEY, ask, check_failure, request};

fn with_command(command: &str) -> Setup {
    Setup { key_command: Some(command.to_owned()), ..Setup::of(Backend::Anthropic) }
}

#[test]
fn a_command_prints_a_key() {
    let there = Address::parse("https://api.anthropic.com").expect("an address");
    for command in [
        format!("echo ' {KEY} '"),
        format!("printf '{KEY}\\nuser: me\\n'; echo noise >&2"),
        format!("test \"$(pwd)\" = / && echo {KEY}; sleep 300 &"),
    ] {
        let key = with_command(&command).key(&there).expect("a key").expect("one");
        assert_eq!(Some(key), hardwon_foreign::backend::Key::new(KEY), "{command}");
    }
    for (command, sign) in [
        (format!("echo {KEY}; exit 3"), "ended with 3"),
        ("true".to_owned(), "is none"),
        (format!("echo two {KEY}"), "is none"),
        ("yes".to_owned(), "more than 1 MiB"),
        (format!("echo {KEY} >&2; kill -9 $$"), "ended with a signal"),
    ] {
        check_failure(ask(&with_command(&command), &request()), FREE, sign);
    }
}

#[test]
fn a_variable_holds_a_key() {
    let there = Address::parse("https://api.anthropic.com").expect("an address");
    let of = |name: &str| Setup { key_env: Some(name.to_owned()), ..Setup::of(Backend::Anthropic) };
    // Set wherever programs are started, and one word.
    assert!(of("PATH").key(&there).expect("a key").is_some());
    let missing = of("HARDWON_TEST_NOBODY_SETS_THIS");
    check_failure(ask(&missing, &request()), FREE, "HARDWON_TEST_NOBODY_SETS_THIS is not set");
}

#[test]
fn a_providers_key_is_for_the_provider() {
    for backend in [Backend::Anthropic, Backend::OpenAi] {
        let to = |base: &str| Setup { base_url: Some(base.to_owned()), ..Setup::of(backend) };
        let done = ask(&to("https://models.example.com/v1"), &request());
        check_failure(done, FREE, "no key for models.example.com");
        // This machine needs none, and gets none that is meant for others.
        let server = Server::answering(&[(401, "", Vec::new())]);
        assert!(ask(&to(&server.url()), &request()).is_err());
        let asked = server.asked();
        assert_eq!(asked[0].header("x-api-key").or(asked[0].header("authorization")), None);
        assert!(open(&to(&server.url())).is_ok());
    }
}
