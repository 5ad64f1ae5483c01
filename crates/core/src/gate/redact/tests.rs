//! What redaction must find, must leave, and must never do. `hidden.txt` and `kept.txt` say
//! how they are read.

mod corpus;

use super::{Rules, redact};
use corpus::{Lcg, Sample, families};

fn shown(text: &str) -> String {
    redact(text, &Rules::default())
}

/// The texts of a table, with their line ends.
fn rows(table: &str) -> impl Iterator<Item = String> {
    let is_text = |row: &&str| !row.is_empty() && !row.starts_with(['#', '[']);
    table.lines().filter(is_text).map(|row| row.replace('␤', "\n").replace("{}", ""))
}

#[test]
fn only_the_secret_goes() {
    for row in rows(include_str!("tests/hidden.txt")) {
        let mut pieces = row.split('⟦');
        let first = pieces.next().unwrap_or_default().to_owned();
        let (mut text, mut expected) = (first.clone(), first);
        for piece in pieces {
            let (secret, rest) = piece.split_once('⟧').expect("a secret is closed");
            let (family, secret) = secret.split_once('|').expect("a secret has a family");
            text += &[secret, rest].concat();
            expected += &["[redacted:", family, "]", rest].concat();
        }
        assert_eq!(shown(&text), expected);
        assert_eq!(shown(&expected), expected, "again");
    }
}

#[test]
fn what_is_not_a_secret_stays() {
    for text in rows(include_str!("tests/kept.txt")) {
        assert_eq!(shown(&text), text);
    }
    for text in ["", "[", "--token ", "Bearer "] {
        assert_eq!(shown(text), text);
    }
}

#[test]
fn private_passages_are_hidden() {
    let cases = [
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
    ];
    for (name, text, expected) in cases {
        assert_eq!(shown(text), expected, "{name}");
    }
}

#[test]
fn key_blocks_are_hidden() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    let begin = ["-----BEG", "IN EC PRIV", "ATE KEY-----"].concat();
    let end = ["-----E", "ND EC PRIV", "ATE KEY-----"].concat();
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
    assert_eq!(shown(&talk), talk, "a sentence about the header is not a key");
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
    let left = unmarked(&redacted);
    let leaks = sample
        .secret
        .as_bytes()
        .windows(8)
        .any(|part| left.as_bytes().windows(8).any(|other| part == other));
    let stays = redacted.starts_with(&sample.before) && redacted.ends_with(&sample.after);
    !leaks && stays
}

#[test]
fn made_up_secrets_are_found_in_every_carrier() {
    let rules = Rules::default();
    for family in families() {
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

/// Pieces that the rules react to, in orders that no text has.
const PIECES: &str = concat!(
    "password¦token¦=¦: ¦:¦\"¦'¦`¦\\¦\\n¦\n¦ ¦[redacted:token]¦[private]¦[redacted:¦]¦",
    "<private>¦</private>¦https://¦u:¦@¦/¦Bearer ¦hunter2¦a1B2c3D4¦é¦🦀¦\u{a0}¦-----BEGIN ¦",
    "PRIVATE KEY-----¦-----END ¦sk-¦eyJ¦.¦--token ¦curl -u ¦curl -su ¦mysql ¦-p¦",
    "sshpass -p ¦docker login -p ¦vault kv put x a=¦htpasswd -b f u ¦helm --set password=¦",
    "<pwd>¦</¦>¦&¦$¦{¦}¦xoxb-1¦0123456789¦QWERTZuiop¦ab-cd¦_¦%3D¦,"
);

#[test]
fn any_text_is_safe_and_settles() {
    let rules = Rules::default();
    let mut lcg = Lcg::new(42);
    let pieces: Vec<&str> = PIECES.split('¦').collect();
    for _ in 0..10_000 {
        let n_pieces = 1 + lcg.below(24);
        let text: String = (0..n_pieces).map(|_| lcg.pick(&pieces)).collect();
        let once = redact(&text, &rules);
        assert_eq!(redact(&once, &rules), once, "{text:?}");
    }
}

#[test]
fn characters_of_many_bytes_around_a_secret_stay() {
    for around in ["é", "→", "🦀", "\u{a0}", "“", "界"] {
        for sample in families().iter().flat_map(|family| family.samples(2)) {
            let text = [around, &sample.text(), around].concat();
            let redacted = shown(&text);
            assert!(redacted.starts_with(around), "{text:?}");
        }
        let text = format!("{around} password=hunter2 {around}");
        assert_eq!(shown(&text), format!("{around} password=[redacted:password] {around}"));
    }
}
