//! What redaction must find, must leave, and must never do.

mod commands;
mod corpus;

use super::{Hit, Rules, redact};
use corpus::{FAMILIES, Lcg, Sample};

/// Texts with pieces in braces: `{…}` is joined away, so that no literal looks like a key.
fn joined(text: &str) -> String {
    text.replace("{}", "")
}

fn shown(text: &str) -> String {
    redact(text, &Rules::standard()).text
}

#[track_caller]
fn check(cases: &[(&str, &str, &str)]) {
    for (name, text, expected) in cases {
        assert_eq!(shown(&joined(text)), *expected, "{name}");
    }
}

#[test]
fn only_the_secret_goes() {
    check(&[
        ("scrambled letters", "password=\"GRwWHuahCTCwtI\"", "password=\"[redacted:password]\""),
        ("scrambled open", "client_secret=IunbSScospFIaR", "client_secret=[redacted:secret]"),
        ("a name", "password=getUserPassword", "password=getUserPassword"),
        ("another name", "token = refreshTokenProvider", "token = refreshTokenProvider"),
        (
            "token in prose",
            "it was gh{}p_0123456789abcdefghijABCDEFGHIJ012345, sadly",
            "it was [redacted:github-token], sadly",
        ),
        (
            "environment",
            "export DB_PASSWORD=hunter2 && run",
            "export DB_PASSWORD=[redacted:password] && run",
        ),
        ("environment with brackets", "DB_PASSWORD=a)b,c1 x", "DB_PASSWORD=[redacted:password] x"),
        ("yaml", "db:\n  password: hunter2\n", "db:\n  password: [redacted:password]\n"),
        (
            "json",
            r#"{"password": "hunter2", "n": 1}"#,
            r#"{"password": "[redacted:password]", "n": 1}"#,
        ),
        (
            "escaped json",
            r#"{\"password\":\"hunter2\"}"#,
            r#"{\"password\":\"[redacted:password]\"}"#,
        ),
        (
            "weak word in quotes",
            r#"password = "correcthorse""#,
            r#"password = "[redacted:password]""#,
        ),
        (
            "passphrase",
            r#"passphrase: "four plain words here""#,
            r#"passphrase: "[redacted:password]""#,
        ),
        ("flag", "tool --password hunter2 -v", "tool --password [redacted:password] -v"),
        ("comparison", "if password == 'hunter2' {", "if password == '[redacted:password]' {"),
        (
            "typed constant",
            r#"let token: &str = "a1b2c3d4e5";"#,
            r#"let token: &str = "[redacted:token]";"#,
        ),
        ("element", "<password>hunter2</password>", "<password>[redacted:password]</password>"),
        ("url", "postgres://app:hunter2@db/main", "postgres://app:[redacted:url-password]@db/main"),
        ("url without user", "redis://:hunter2@db", "redis://:[redacted:url-password]@db"),
        ("url with a slash in it", "amqp://u:a/b#c@mq/v", "amqp://u:[redacted:url-password]@mq/v"),
        (
            "url with a key as user",
            "https://0123456789abcdef0123@in.example.com/1",
            "https://[redacted:url-password]@in.example.com/1",
        ),
        (
            "bearer",
            "Authorization: Bearer a1b2c3d4e5f6g7h8",
            "Authorization: Bearer [redacted:bearer-token]",
        ),
        (
            "basic",
            "Authorization: Basic dXNlcjpwYXNz",
            "Authorization: Basic [redacted:basic-auth]",
        ),
        (
            "token scheme",
            "Authorization: token a1b2c3d4e5f6a7b8c9d0",
            "Authorization: token [redacted:auth]",
        ),
        (
            "curl",
            "curl -u admin:hunter2 https://example.com",
            "curl -u admin:[redacted:password] https://example.com",
        ),
        (
            "webhook",
            "https://hooks.slack.com/services/T0{}00AAAA1/B000BBBB2/a1b2c3d4e5f6g7h8",
            "https://hooks.slack.com/services/[redacted:slack-webhook]",
        ),
        ("sql", "IDENTIFIED BY 'hunter2'", "IDENTIFIED BY '[redacted:password]'"),
        ("said", "the password is Hunter2!x, sadly", "the password is [redacted:password], sadly"),
        (
            "said of something",
            "The password for the staging host was `correct4horse`.",
            "The password for the staging host was `[redacted:password]`.",
        ),
        ("said with an arrow", "password -> hunter2x9", "password -> [redacted:password]"),
        ("set to", "set the token to a1b2c3d4e5f6", "set the token to [redacted:token]"),
        ("in parentheses", "the api key (a1b2c3d4e5f6a7b8)", "the api key ([redacted:api-key])"),
        ("said before", "'hunter2x9' as the password", "'[redacted:password]' as the password"),
        (
            "a phrase",
            "My passphrase is \"falcon battery staple\".",
            "My passphrase is \"[redacted:password]\".",
        ),
        ("a pin", "The PIN is 4821.", "The PIN is [redacted:pin]."),
        (
            "listed",
            r#"{"name": "API_KEY", "value": "a1b2c3d4e5f6"}"#,
            r#"{"name": "API_KEY", "value": "[redacted:api-key]"}"#,
        ),
        (
            "below its name",
            "password: |\n  hunter2x\nport: 1",
            "password: |\n  [redacted:password]\nport: 1",
        ),
        (
            "behind a backslash",
            "x --token \\\n  a1b2c3d4e5 -v",
            "x --token \\\n  [redacted:token] -v",
        ),
        ("ampersand inside", "DB_PASSWORD=ab1&cd2 x", "DB_PASSWORD=[redacted:password] x"),
        ("ampersand behind", "?token=a1b2c3d4&x=1", "?token=[redacted:token]&x=1"),
        (
            "two on a line",
            "a_token=a1b2c3d4 b_token=e5f6a7b8",
            "a_token=[redacted:token] b_token=[redacted:token]",
        ),
        (
            "the telling family wins",
            "token=gl{}pat-0123456789abcdefghij",
            "token=[redacted:gitlab-token]",
        ),
    ]);
}

#[test]
fn private_passages_are_hidden() {
    check(&[
        ("closed", "a <private>b</private> c", "a [private] c"),
        ("case", "a <PRIVATE>b</Private> c", "a [private] c"),
        ("nested", "a <private>b<private>c</private>d</private> e", "a [private] e"),
        ("blanks in the tags", "a < private >b</ private> c", "a [private] c"),
        ("never closed", "a <private>b c", "a [private]"),
        ("closed once too few", "a <private>b<private>c</private> d", "a [private]"),
        ("closed without opening", "a </private> b", "a </private> b"),
        ("over lines", "a\n<private>\nb\n</private>\nc", "a\n[private]\nc"),
        ("around a secret", "a <private>password=hunter2</private> c", "a [private] c"),
        ("inside a value", "password='x<private>y</private>1'", "password='[private]'"),
        ("another tag", "a <privateer>b</privateer>", "a <privateer>b</privateer>"),
    ]);
}

#[test]
fn key_blocks_are_hidden() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    let begin = joined("-----BEG{}IN EC PRIV{}ATE KEY-----");
    let end = joined("-----E{}ND EC PRIV{}ATE KEY-----");
    let cases = [
        (format!("a\n{begin}\n{body}\n{end}\nb"), "a\n[redacted:private-key]\nb"),
        (format!("k=\"{begin}\\n{body}\\n{end}\\n\""), "k=\"[redacted:private-key]\\n\""),
        (format!("a {begin} {body} and on"), "a [redacted:private-key]"),
        (format!("a {begin}\nProc-Type: 4,ENCRYPTED\n\n{body}"), "a [redacted:private-key]"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&text), expected);
    }
    let talk = format!("The check looks for `{begin}` only");
    assert_eq!(shown(&talk), talk, "a sentence about the header is no key");
}

/// Texts that must come back unchanged.
const BENIGN: &[&str] = &[
    "the token is not validated before the secret is read",
    "token: string",
    "The password is SHA256-hashed, then base64-encoded",
    "The password is \"must not be empty\" in German too",
    "The token is a 32-character string; the key is v2.1.0",
    "the pin was 4 digits, and pin 17 is 3.3V",
    "password:\n  type: string\n  minLength: 8\n",
    "credentials are checked / refreshed in auth2.rs",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx8Qm3kT0vZ2yWb4uR7sLpN9dEfGh1KjMcXa5oB6VtQ",
    "password = None",
    "password: str",
    "password: Option<String>,",
    "secret=os.environ['X']",
    "secret = config.get(\"secret\")",
    "password=<redacted>",
    "password: ********",
    "api_key={api_key}",
    "api_key=\"{{ api_key }}\"",
    "TOKEN=$TOKEN ./run",
    "token: ${{ secrets.DEPLOY_TOKEN }}",
    "export API_KEY=<your-token>",
    "export API_KEY=your-api-key-here",
    "login(user=user, password=password, token=refresh_token2)",
    "const accessToken = useAccessToken();",
    "if (token === 'refresh_token') {",
    "grant_type: 'client_credentials', auth: oauth2",
    "max_tokens=4096, token_type: bearer, password_length: 12",
    "set the --password flag, or --token option",
    "Bearer authentication and Basic authentication are both accepted",
    "pass `flusher_processes=1` and pass 'x1'",
    "Discourse.SiteSettings['max_' + type]",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b broke it",
    "d41d8cd98f00b204e9800998ecf8427e",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "integrity sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "src/components/UserProfile2/AvatarUploader3.test.tsx",
    "/usr/lib/x86_64-linux-gnu/libSegFault2.so.6",
    "AbstractSingletonProxyFactoryBean2Configuration",
    "test_that_User2_can_not_read_the_Session_of_User1",
    "MAX_HTTP2_CONCURRENT_STREAMS_v2",
    "a-very-long-kebab-case-name-with-2-numbers-And-Capitals",
    "v1.24.0-rc.1+build.20240131.sha.5114f85",
    "https://docs.example.com/d/1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYz/edit",
    "http://localhost:3000/@user and http://[::1]:8080/a@b",
    "ssh://git@github.com/a/b.git",
    "scheme://[user:password@]host",
    "mail me@example.com: see task-list and risk-assessment-for-2024",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "0xDEADbeefDEADbeefDEADbeefDEADbeefDEADbeef",
    "sk-fading-circle-container-2 npm_config_registry hf_hub_download",
    "css: .sk-cube-grid .sk-cube1 { color: #3f7868 }",
    "a == b, x = y; k: v, 12:30:45, ::1, c++ <T> a->b",
];

#[test]
fn benign_texts_stay() {
    for text in BENIGN {
        assert_eq!(shown(text), *text);
        assert_eq!(redact(text, &Rules::standard()).hits, []);
    }
}

/// What is left of a redacted text once the marks are gone.
fn unmarked(text: &str) -> String {
    let mut pieces = text.split("[redacted:");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |left, piece| {
        left + "\n" + piece.split_once(']').map_or(piece, |(_, rest)| rest)
    })
}

fn is_found(sample: &Sample, rules: &Rules) -> bool {
    let redacted = redact(&sample.text(), rules);
    let left = unmarked(&redacted.text);
    let leaks = sample
        .secret
        .as_bytes()
        .windows(8)
        .any(|part| left.as_bytes().windows(8).any(|other| part == other));
    let stays = redacted.text.starts_with(&sample.before) && redacted.text.ends_with(&sample.after);
    !leaks && stays
}

#[test]
fn made_up_secrets_are_found_in_every_carrier() {
    let rules = Rules::standard();
    for family in FAMILIES {
        let samples = family.samples(200);
        let n_found = samples.iter().filter(|sample| is_found(sample, &rules)).count();
        assert!(
            n_found * 100 >= samples.len() * 99,
            "{}: {n_found} of {}",
            family.name,
            samples.len()
        );
    }
}

#[test]
fn redacting_again_changes_nothing() {
    let rules = Rules::standard();
    for sample in FAMILIES.iter().flat_map(|family| family.samples(30)) {
        let once = redact(&sample.text(), &rules).text;
        let again = redact(&once, &rules);
        assert_eq!((again.text, again.hits), (once, vec![]));
    }
}

/// Pieces that the rules react to, in orders nobody would write.
const PIECES: &[&str] = &[
    "password",
    "token",
    "=",
    ": ",
    ":",
    "\"",
    "'",
    "`",
    "\\",
    "\\n",
    "\n",
    " ",
    "[redacted:token]",
    "[private]",
    "[redacted:",
    "]",
    "<private>",
    "</private>",
    "https://",
    "u:",
    "@",
    "/",
    "Bearer ",
    "hunter2",
    "a1B2c3D4",
    "é",
    "🦀",
    "\u{a0}",
    "-----BEGIN ",
    "PRIVATE KEY-----",
    "-----END ",
    "sk-",
    "eyJ",
    ".",
    "--token ",
    "curl -u ",
    "curl -su ",
    "mysql ",
    "-p",
    "sshpass -p ",
    "docker login -p ",
    "vault kv put x a=",
    "htpasswd -b f u ",
    "helm --set password=",
    "<pwd>",
    "</",
    ">",
    "&",
    "$",
    "{",
    "}",
    "xoxb-1",
    "0123456789",
    "QWERTZuiop",
    "ab-cd",
    "_",
    "%3D",
    ",",
];

#[test]
fn any_text_is_safe_and_settles() {
    let rules = Rules::standard();
    let mut lcg = Lcg::new(42);
    for _ in 0..10_000 {
        let n_pieces = 1 + lcg.below(24);
        let text: String = (0..n_pieces).map(|_| lcg.pick(PIECES)).collect();
        let once = redact(&text, &rules);
        assert_eq!(redact(&once.text, &rules).text, once.text, "{text:?}");
        assert!(once.hits.iter().all(|hit| text.is_char_boundary(hit.at)), "{text:?}");
    }
}

#[test]
fn characters_of_many_bytes_around_a_secret_stay() {
    for around in ["é", "→", "🦀", "\u{a0}", "“", "界"] {
        for sample in FAMILIES.iter().flat_map(|family| family.samples(2)) {
            let text = [around, &sample.text(), around].concat();
            let redacted = shown(&text);
            assert!(redacted.starts_with(around), "{text:?}");
        }
        let text = format!("{around} password=hunter2 {around}");
        assert_eq!(shown(&text), format!("{around} password=[redacted:password] {around}"));
    }
}

#[test]
fn hits_name_family_and_place_in_the_input() {
    let text = "ä <private>x</private> password=hunter2, then postgres://u:pw@h";
    let rules = Rules::standard();
    let redacted = redact(text, &rules);
    let place = |needle: &str| text.find(needle).expect("the text holds it");
    let hits = vec![
        Hit { family: "private", at: place("<private>") },
        Hit { family: "password", at: place("hunter2") },
        Hit { family: "url-password", at: place("pw@h") },
    ];
    assert_eq!(redacted.hits, hits);
}

#[test]
fn empty_and_bare_separators_are_no_trouble() {
    for text in [
        "",
        "=",
        ":",
        "password=",
        "password:",
        "--token ",
        "://",
        "a://",
        "a://:@",
        "Bearer ",
        "<",
        "[",
        "\\",
    ] {
        assert_eq!(shown(text), text);
    }
}
