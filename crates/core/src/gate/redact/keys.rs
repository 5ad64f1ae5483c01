//! Does a name say that its value is a secret?
//!
//! Names are compared without case and separators, by their ends: `DB_PASSWORD`,
//! `dbPassword` and `db-password` all end in `password`; `password_length` does not.

/// How much a value must show before it is believed to be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Anything that is not plainly code or a word.
    Little,
    /// Several words are fine as well.
    Phrase,
    /// Letters and digits.
    Some,
    /// A few digits.
    Pin,
    /// Long and random: the name alone says little.
    Much,
}

/// A secret-like name: the family its value gets, and what the value must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub family: &'static str,
    pub need: Need,
}

/// No longer name is looked at.
pub(super) const MAX_NAME: usize = 64;

/// Ends of secret-like names; the first that fits counts.
#[rustfmt::skip]
const ENDS: &[(&str, &str, Need)] = &[
    ("awssecretaccesskey", "aws-secret-key", Need::Some),
    ("secretaccesskey", "aws-secret-key", Need::Some),
    ("awssecretkey", "aws-secret-key", Need::Some),
    ("awssecret", "aws-secret-key", Need::Some),
    ("awssessiontoken", "aws-session-token", Need::Some),
    ("sharedaccesskey", "azure-key", Need::Some),
    ("sharedaccesssignature", "azure-key", Need::Some),
    ("accountkey", "azure-key", Need::Some),
    ("password", "password", Need::Little),
    ("passwd", "password", Need::Little),
    ("passwort", "password", Need::Little),
    ("pwd", "password", Need::Little),
    ("passcode", "password", Need::Little),
    ("passphrase", "password", Need::Phrase),
    ("mnemonic", "password", Need::Phrase),
    ("seedphrase", "password", Need::Phrase),
    ("sshpass", "password", Need::Little),
    ("rediscliauth", "password", Need::Little),
    ("clientsecret", "secret", Need::Some),
    ("secret", "secret", Need::Some),
    ("token", "token", Need::Some),
    ("apikey", "api-key", Need::Some),
    ("accesskey", "api-key", Need::Some),
    ("secretkey", "secret", Need::Some),
    ("privatekey", "secret", Need::Some),
    ("authkey", "api-key", Need::Some),
    ("signingkey", "secret", Need::Some),
    ("encryptionkey", "secret", Need::Some),
    ("masterkey", "secret", Need::Some),
    ("servicekey", "api-key", Need::Some),
    ("servicerolekey", "api-key", Need::Some),
    ("adminkey", "api-key", Need::Some),
    ("licensekey", "api-key", Need::Some),
    ("storagekey", "api-key", Need::Some),
    ("subscriptionkey", "api-key", Need::Some),
    ("sessionkey", "secret", Need::Some),
    ("presharedkey", "secret", Need::Some),
    ("keydata", "secret", Need::Some),
    ("pincode", "pin", Need::Pin),
    ("sessid", "cookie", Need::Much),
    ("appkey", "api-key", Need::Much),
    ("applicationkey", "api-key", Need::Much),
    ("deploykey", "api-key", Need::Much),
    ("credential", "secret", Need::Much),
    ("credentials", "secret", Need::Much),
    ("creds", "secret", Need::Much),
    ("authorization", "auth", Need::Much),
    ("authentication", "auth", Need::Much),
    ("signature", "signature", Need::Much),
    ("cookie", "cookie", Need::Much),
    ("sessionid", "secret", Need::Much),
];

/// Names that tell only as a whole word: `bypass` is no password.
const WORDS: &[(&str, &str, Need)] = &[
    ("pass", "password", Need::Little),
    ("pw", "password", Need::Little),
    ("pin", "pin", Need::Pin),
    ("auth", "auth", Need::Much),
    ("sig", "signature", Need::Much),
    ("salt", "secret", Need::Much),
    ("session", "secret", Need::Much),
    ("sid", "secret", Need::Much),
    ("jwt", "token", Need::Much),
];

/// The second words of names that prose writes as two: `api key`, `pin code`.
pub(super) const SECOND_WORDS: &[&[u8]] = &[b"key", b"data", b"code", b"phrase"];

/// What may follow the telling part of a name.
const QUALIFIERS: &[&str] = &[
    "prod",
    "production",
    "dev",
    "staging",
    "test",
    "live",
    "base",
    "confirmation",
    "old",
    "new",
    "current",
    "default",
    "value",
    "raw",
    "primary",
    "secondary",
];

/// What `name` says about its value; `None` for the many names that say nothing.
pub(super) fn key(name: &[u8]) -> Option<Key> {
    let mut name = name;
    // A qualifier may be qualified itself (`TOKEN_PROD_2`), but not endlessly.
    for _ in 0..3 {
        if let Some(key) = exact_key(name) {
            return Some(key);
        }
        name = without_qualifier(name)?;
    }
    None
}

fn exact_key(name: &[u8]) -> Option<Key> {
    let mut buffer = [0_u8; MAX_NAME];
    let flat = flatten(name, &mut buffer);
    let word = &name[last_word_start(name)..];
    let by_end = ENDS.iter().find(|(end, ..)| flat.ends_with(end.as_bytes()));
    let by_word = || WORDS.iter().find(|(whole, ..)| word.eq_ignore_ascii_case(whole.as_bytes()));
    by_end.or_else(by_word).map(|&(_, family, need)| Key { family, need })
}

/// Lower case, without separators.
fn flatten<'a>(name: &[u8], buffer: &'a mut [u8; MAX_NAME]) -> &'a [u8] {
    let mut length = 0;
    for byte in name.iter().filter(|byte| byte.is_ascii_alphanumeric()).take(MAX_NAME) {
        buffer[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    &buffer[..length]
}

fn last_word_start(name: &[u8]) -> usize {
    let boundary = |index: &usize| {
        let (before, byte) = (name[index - 1], name[*index]);
        !before.is_ascii_alphanumeric() || before.is_ascii_lowercase() && byte.is_ascii_uppercase()
    };
    (1..name.len()).rev().find(boundary).unwrap_or(0)
}

fn without_qualifier(name: &[u8]) -> Option<&[u8]> {
    let n_digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = if n_digits > 0 {
        &name[..name.len() - n_digits]
    } else {
        let start = last_word_start(name);
        let word = &name[start..];
        QUALIFIERS
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
            .then_some(&name[..start])?
    };
    let n_separators = rest.iter().rev().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    let rest = &rest[..rest.len() - n_separators];
    (!rest.is_empty()).then_some(rest)
}
