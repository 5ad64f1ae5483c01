//! Ordinary texts that look like trouble: sentences about secrets, digests, ids, paths,
//! versions, embedded images, names of tests. Redaction has to leave them alone.

use crate::random::Random;

/// Sentences of reviews; most talk about secrets without telling one.
const SENTENCES: &[&str] = &[
    "The token is not validated before the session is created.",
    "The password is hashed with MD5, which is too fast.",
    "The password is stored in plain text in the users table.",
    "The secret is read from the environment at import time.",
    "Password: required field, must not be empty.",
    "The API key is missing from the request when retries happen.",
    "The token was expired, so the refresh is tried twice.",
    "A password is never compared in constant time here.",
    "The passphrase is optional and defaults to none.",
    "The session cookie is set without the Secure attribute.",
    "The secret: rotate it every ninety days.",
    "If the password is None, authenticate() returns True.",
    "The password is user-supplied and reaches the log.",
    "token -> user lookup is done once per row",
    "password = request.form['password'] is used without a check",
    "The access token is passed as a query parameter.",
    "The pin is read twice, and the second read may block.",
    "Pin the version: 1.2.3 is the last one without the bug.",
    "GPIO pin = 17 is used by two drivers.",
    "The secret is base64-encoded, not encrypted.",
    "The password is at least 12 characters long.",
    "the password was changed to use bcrypt",
    "Password is case-insensitive on this path.",
    "The client_secret parameter is logged by the middleware.",
    "auth: basic and auth: bearer are both handled by the same branch.",
    "Bearer tokens must not be cached across tenants.",
    "Basic authentication over http is accepted.",
    "The key is used as a cache key and as an HMAC key.",
    "`getToken()` may return undefined, and `token.length` then throws.",
    "const token = await auth.getToken({ refresh: true });",
    "let password: Option<String> = None;",
    "password: str = Field(min_length=8)",
    "secret_key = os.environ[\"SECRET_KEY\"]",
    "SECRET_KEY=${SECRET_KEY:?must be set}",
    "api_key: ${{ secrets.API_KEY }}",
    "export GITHUB_TOKEN=$(gh auth token)",
    "curl -H \"Authorization: Bearer $TOKEN\" https://example.com",
    "psql postgres://$USER:$PASSWORD@db/main",
    "postgres://user:${DB_PASSWORD}@localhost/test",
    "Use --password-file instead of --password on shared hosts.",
    "tokens: 4096, max_tokens: 1024, token_count=77",
    "The cookie is named session_id and expires after 30 minutes.",
    "The signature is verified after the body has been parsed.",
    "sig = hmac.new(key, body, sha256).hexdigest()",
    "assert user.password != 'password'",
    "if (password === confirmPassword) {",
    "The password is the same as the username in the fixture.",
    "The token is: missing, expired or revoked.",
    "Set the password to something the tests can know.",
    "The default password is printed by the installer.",
    "use the token as the cache key",
    "The private key is loaded on every request.",
    "The header line `-----BEGIN CERTIFICATE-----` is matched case-sensitively.",
    "mail admin@example.com: the credentials are in the vault",
    "The credentials are wrong / expired when this happens.",
    "The password is \"required\" in the schema and optional in the form.",
    "PASSWORD_HASHERS lists PBKDF2PasswordHasher first.",
    "token: TokenResponse2 = parse(body)",
    "The login fails when the password is longer than 72 bytes.",
    "The secret was committed, then removed, so history still has it.",
    "OAuth2PasswordBearer(tokenUrl=\"token\") is created twice.",
    "The pin was 4 digits and is now 6 digits.",
    "The pin is 3.3V tolerant.",
    "Off-by-one: the loop stops at n - 1, so the last row is dropped.",
    "The mutex is held across an await point.",
    "Unbounded retry without back-off on HTTP 429.",
    "N+1 query: `comments` is loaded for each post.",
    "`unwrap()` on user input panics on an empty string.",
    "Missing index on (tenant_id, created_at) makes this a full scan.",
    "The comparison uses == on floats; use an epsilon.",
    "Race: two workers can claim the same job between SELECT and UPDATE.",
    "The date is parsed in local time, 2026-03-29T02:30:00 does not exist in Berlin.",
    "Accept: */*, Content-Type: application/json; charset=utf-8",
    "x-request-id is not forwarded to the worker.",
    "The regex ^(a+)+$ is exponential on long input.",
    "AbstractUserDetailsAuthenticationProvider2 hides the cause.",
    "Rename MAX_HTTP2_CONCURRENT_STREAMS_v2 to something shorter.",
    "see https://example.com/docs/en/v2/guide/authentication#tokens for the flow",
    "http://localhost:3000/@user/settings?tab=password&mode=edit",
    "The config accepts key=value, key: value and --key value.",
    "pass: the check is skipped; fail: the job stops",
    "The word 'secret' in a test name makes the linter complain.",
    "auth_token is None in 3 of 5 code paths.",
    "user_password2 shadows user_password in the inner scope.",
    "The access_token=... part of the URL has to be masked.",
    "password=<your-password-here> in the example is fine",
    "-u user:pass is what the manual shows",
    "API keys look like `sk-...` and must not be logged.",
    "The AWS access key id begins with AKIA and has 20 characters.",
    "GitHub tokens start with ghp_ and are 40 characters long.",
    "Redact eyJ... tokens before they reach the log.",
];

/// Templates with a made-up part.
const MADE: &[&str] = &[
    "commit {sha} broke the build on main",
    "Reverts {sha7}, see the discussion there.",
    "git diff {sha}..{sha} -- src/auth/token.rs",
    "request {uuid} failed with 500",
    "The fixture uses tenant {uuid} and user {uuid}.",
    "sha256:{sha256} is the pinned image",
    "FROM rust:1.95@sha256:{sha256}",
    "integrity sha512-{b64_88}== does not match",
    "md5 {md5} differs from the manifest",
    "h1:{b64_43}= in go.sum is stale",
    "src/{dir}/{dir}/{Name}Test{d}.java:{d}{d} is never run",
    "test_{dir}_{dir}_returns_{d}{d}_when_{dir}_is_missing",
    "packages/{dir}/node_modules/@scope/{dir}-{dir}@{d}.{d}.{d}-rc.{d}",
    "Bump {dir}-{dir} from {d}.{d}{d}.{d} to {d}.{d}{d}.{d}+build.2026{d}{d}",
    "data:image/png;base64,iVBORw0KGgo{b64_88}",
    "<img src=\"data:image/svg+xml;base64,PHN2Zy{b64_43}=\">",
    "https://example.com/{dir}/{sha}/raw/{Name}.cs?line={d}{d}",
    "trace_id={md5} span_id={hex16}",
    "etag: \"{md5}\"",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{alnum43} dev@example.com",
    "0x{sha} is the contract address",
    "The cache key `tenant:{uuid}:{d}` has no tenant in it.",
    "checksum = \"{sha256}\"",
    "i18n: {Name}{Name}{Name}Controller.{dir}{Name}{d}",
    "rgb #{hex6} on #{hex6} fails the contrast check",
    "at {Name}.{dir} (webpack-internal:///./src/{dir}/{Name}.tsx:{d}{d}:{d})",
    "migration 2026{d}{d}{d}{d}{d}{d}{d}{d}_{dir}_{dir}.sql locks the table",
    "build {d}{d}{d}{d}{d} of {dir}-{dir}-{dir}-{d} took {d}{d} min",
];

const FOLDERS: &[&str] = &[
    "parser",
    "session",
    "tokens",
    "billing",
    "router",
    "cache",
    "schema",
    "worker",
    "secrets",
    "password",
    "editor",
    "metrics",
    "signature",
    "upload",
    "locale",
];
const NAMES: &[&str] =
    &["User", "Token", "Session", "Password", "Invoice", "Router", "Cache", "Widget", "Signature"];

const HEX: &str = "0123456789abcdef";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// All sentences, and as many made-up texts.
pub fn texts(seed: u64) -> Vec<String> {
    let mut chance = Random::named(seed, "benign");
    let made = (0..MADE.len() * 10).map(|index| fill(MADE[index % MADE.len()], &mut chance));
    let sentences = SENTENCES.iter().map(|text| (*text).to_owned());
    sentences.chain(made.collect::<Vec<_>>()).collect()
}

fn fill(template: &str, chance: &mut Random) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (mark, behind) = after.split_once('}').expect("marks are closed");
        text.push_str(before);
        text.push_str(&part(mark, chance));
        rest = behind;
    }
    text + rest
}

fn part(mark: &str, chance: &mut Random) -> String {
    match mark {
        "sha" => chance.text(HEX, 40),
        "sha7" => chance.text(HEX, 7),
        "sha256" => chance.text(HEX, 64),
        "md5" => chance.text(HEX, 32),
        "hex16" => chance.text(HEX, 16),
        "hex6" => chance.text(HEX, 6),
        "uuid" => [8, 4, 4, 4, 12].map(|n| chance.text(HEX, n)).join("-"),
        "b64_88" => chance.text(BASE64, 86),
        "b64_43" => chance.text(BASE64, 43),
        "alnum43" => chance.text(&BASE64[..62], 43),
        "d" => chance.text("123456789", 1),
        "dir" => chance.pick(FOLDERS).to_owned(),
        "Name" => chance.pick(NAMES).to_owned(),
        unknown => panic!("no such mark: {unknown}"),
    }
}
