//! Which secrets are made up? One row per family: the shapes of its values as pieces, and
//! where such a value is met. No value is real, and no literal here looks like a key: known
//! beginnings are put together from parts.

use crate::random::Random;

/// A piece of a made-up value.
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// Letters and digits.
    Alnum(usize),
    Hex(usize),
    /// Base64 with `-` and `_`; the last is a letter or digit.
    Url(usize),
    /// Base64 with `+` and `/`.
    Base64(usize),
    /// Capitals and the digits of base32.
    Capital(usize),
    Digits(usize),
    Text(&'static str),
    OneOf(&'static [&'static str]),
    /// A UUID.
    Uuid,
    /// Lines of base64 with 64 columns, the last one shorter.
    Lines(usize),
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";

impl Piece {
    fn make(self, chance: &mut Random) -> String {
        let alnum = [LOWER, UPPER, DIGITS].concat();
        match self {
            Piece::Alnum(n) => chance.text(&alnum, n),
            Piece::Hex(n) => chance.text(HEX, n),
            Piece::Url(n) => chance.text(&[&alnum, "-_"].concat(), n - 1) + &chance.text(&alnum, 1),
            Piece::Base64(n) => chance.text(&[&alnum, "+/"].concat(), n),
            Piece::Capital(n) => chance.text(&[UPPER, "234567"].concat(), n),
            Piece::Digits(n) => chance.text(DIGITS, n),
            Piece::Text(text) => text.to_owned(),
            Piece::OneOf(texts) => chance.pick(texts).to_owned(),
            Piece::Uuid => [8, 4, 4, 4, 12].map(|n| chance.text(HEX, n)).join("-"),
            Piece::Lines(n) => {
                let last = Piece::Base64(24).make(chance) + "==";
                let lines = (0..n).map(|_| Piece::Base64(64).make(chance));
                lines.chain([last]).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// Where a family's values are met.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Everywhere, also where nothing around says what it is: the shape tells.
    Anywhere(&'static [&'static str]),
    /// Everywhere, under one of these names.
    Named(&'static [&'static str]),
    /// A block of lines: in files, in values, in quotations.
    Block(&'static [&'static str]),
    /// Only in texts of its own; `{s}` is the value.
    Texts(&'static [(super::Context, &'static str)]),
}

/// A family: what its values look like, and where they stand.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    /// Each a shape; cases take turns.
    pub shapes: &'static [&'static [Piece]],
    pub place: Place,
}

impl Family {
    /// The value of the case with this number.
    pub fn value(&self, index: usize, chance: &mut Random) -> String {
        let shape = self.shapes[index % self.shapes.len()];
        shape.iter().map(|piece| piece.make(chance)).collect()
    }
}

const fn family(name: &'static str, place: Place, shapes: &'static [&'static [Piece]]) -> Family {
    Family { name, shapes, place }
}

use Piece::{Alnum, Base64, Capital, Digits, Hex, Lines, OneOf, Text, Url, Uuid};
use Place::{Anywhere, Block, Named, Texts};

use super::Context::{
    Curl, Env, EscapedJson, Json, Log, MultiLine, Prose, Query, Shell, Userinfo, Yaml,
};

const WORDS: &[&str] =
    &["horse", "Zebra", "blue", "Winter", "dragon", "Falcon", "pepper", "Monday"];
const SYMBOLS: &[&str] = &["!", "#", "$", "%", "&", "*", "?", "+", "~", "^"];

/// What people think up, and what their managers make for them.
const PASSWORDS: &[&[Piece]] = &[
    &[OneOf(WORDS), Digits(3), OneOf(SYMBOLS), Alnum(4)],
    &[Alnum(6), OneOf(SYMBOLS), Alnum(6)],
    &[Alnum(14)],
    &[OneOf(WORDS), OneOf(SYMBOLS), OneOf(WORDS), Digits(2)],
    &[OneOf(WORDS), Digits(4)],
];

/// Passwords that stand raw in a URL.
const PLAIN_PASSWORDS: &[&[Piece]] = &[
    &[OneOf(WORDS), Digits(4)],
    &[Alnum(16)],
    &[Alnum(5), OneOf(&["!", "$", "~", "_", "-", "%40", "%2F", "*"]), Alnum(6)],
    &[Hex(24)],
];

/// Every family of the corpus.
#[rustfmt::skip]
pub const FAMILIES: &[Family] = &[
    // Clouds.
    family("aws-access-key", Anywhere(&["aws access key id", "access key"]), &[&[OneOf(&[concat!("AK", "IA"), concat!("AS", "IA")]), Capital(16)]]),
    family("aws-secret-key", Named(&["aws secret access key", "secret access key", "aws secret key"]), &[&[Base64(40)]]),
    family("azure-storage-key", Named(&["account key", "azure storage key", "shared access key"]), &[&[Base64(86), Text("==")], &[Base64(43), Text("=")]]),
    family("azure-sas", Texts(AZURE_SAS), &[&[Base64(43), Text("=")]]),
    family("azure-client-secret", Anywhere(&["azure client secret", "client secret"]), &[&[Alnum(3), Digits(1), Text("Q"), Text("~"), Url(34)]]),
    family("google-api-key", Anywhere(&["google api key", "maps key"]), &[&[Text("AI"), Text("za"), Url(35)]]),
    family("google-oauth", Anywhere(&["client secret", "access token"]), &[&[Text("GOC"), Text("SPX-"), Url(28)], &[Text("ya"), Text("29."), Url(90)]]),
    family("digitalocean-token", Anywhere(&["digitalocean token", "do pat"]), &[&[Text("do"), OneOf(&["p", "o", "r"]), Text("_v1_"), Hex(64)]]),
    family("cloudflare-token", Named(&["cloudflare api token", "cf api token"]), &[&[Url(40)]]),
    family("heroku-key", Named(&["heroku api key", "heroku token"]), &[&[Uuid], &[Text("HR"), Text("KU-AA"), Url(58)]]),
    family("databricks-token", Anywhere(&["databricks token", "pat"]), &[&[Text("da"), Text("pi"), Hex(32)], &[Text("da"), Text("pi"), Hex(32), Text("-"), Digits(1)]]),
    family("vault-token", Anywhere(&["vault token", "root token"]), &[&[Text("hv"), OneOf(&["s.", "b.", "r."]), Url(24)], &[Text("hv"), Text("s.CAESI"), Url(90)]]),
    family("terraform-token", Anywhere(&["terraform token", "tfe token"]), &[&[Alnum(14), Text(".atlas"), Text("v1."), Url(67)]]),

    // Code hosting and registries.
    family("github-classic", Anywhere(&["github token", "gh token"]), &[&[Text("gh"), Text("p_"), Alnum(36)]]),
    family("github-fine-grained", Anywhere(&["gh pat", "pat"]), &[&[Text("github"), Text("_pat_"), Alnum(22), Text("_"), Alnum(59)]]),
    family("github-app", Anywhere(&["oauth token", "installation token"]), &[&[Text("gh"), OneOf(&["o", "u", "s", "r"]), Text("_"), Alnum(36)]]),
    family("gitlab-token", Anywhere(&["gitlab token", "runner token"]), &[&[Text("gl"), OneOf(&["pat", "dt", "rt", "cbt", "ptt", "ft"]), Text("-"), Url(20)], &[Text("gl"), Text("pat-"), Url(27), Text("."), Hex(2), Text("."), Alnum(9)]]),
    family("npm-token", Anywhere(&["npm token", "auth token"]), &[&[Text("np"), Text("m_"), Alnum(36)]]),
    family("pypi-token", Anywhere(&["pypi token", "twine password"]), &[&[Text("py"), Text("pi-AgEIcHlwaS5vcmc"), Url(110)]]),
    family("docker-token", Anywhere(&["docker token", "docker hub pat"]), &[&[Text("dckr"), OneOf(&["_pat_", "_oat_"]), Url(27)]]),

    // Models.
    family("openai-key", Anywhere(&["openai api key", "api key"]), &[&[Text("s"), Text("k-"), Alnum(48)], &[Text("s"), Text("k-"), OneOf(&["proj-", "svcacct-", "admin-"]), Url(74), Text("T3Blbk"), Text("FJ"), Url(74)]]),
    family("anthropic-key", Anywhere(&["anthropic api key", "api key"]), &[&[Text("s"), Text("k-ant-"), OneOf(&["api03-", "admin01-", "oat01-"]), Url(93), Text("AA")]]),
    family("huggingface-token", Anywhere(&["hf token", "hugging face token"]), &[&[Text("h"), Text("f_"), Alnum(34)]]),

    // Payment, talk, mail.
    family("stripe-key", Anywhere(&["stripe key", "webhook secret"]), &[&[OneOf(&["sk", "rk"]), OneOf(&["_live_", "_test_"]), Alnum(24)], &[OneOf(&["sk", "rk"]), Text("_live_51"), Alnum(97)], &[Text("wh"), Text("sec_"), Alnum(32)]]),
    family("shopify-token", Anywhere(&["shopify token", "access token"]), &[&[Text("sh"), OneOf(&["pat", "pca", "ppa", "pss"]), Text("_"), Hex(32)]]),
    family("slack-token", Anywhere(&["slack token", "bot token"]), &[&[Text("xox"), OneOf(&["b", "p", "a", "r", "s"]), Text("-"), Digits(12), Text("-"), Digits(13), Text("-"), Alnum(24)], &[Text("xa"), Text("pp-1-A"), Capital(10), Text("-"), Digits(13), Text("-"), Hex(64)]]),
    family("slack-webhook", Texts(SLACK_WEBHOOKS), &[&[Text("T"), Capital(8), Text("/B"), Capital(10), Text("/"), Alnum(24)]]),
    family("discord-token", Anywhere(&["discord token", "bot token"]), &[&[OneOf(&["M", "N", "O"]), Alnum(23), Text("."), Url(6), Text("."), Url(38)], &[OneOf(&["M", "N", "O"]), Alnum(25), Text("."), Url(6), Text("."), Url(27)]]),
    family("telegram-token", Anywhere(&["telegram token", "bot token"]), &[&[OneOf(&["5", "6", "7", "8"]), Digits(9), Text(":AA"), Url(33)]]),
    family("twilio", Named(&["twilio auth token", "twilio api secret"]), &[&[Hex(32)], &[Text("S"), Text("K"), Hex(32)], &[Alnum(32)]]),
    family("sendgrid-key", Anywhere(&["sendgrid api key", "mail key"]), &[&[Text("S"), Text("G."), Url(22), Text("."), Url(43)]]),
    family("mailgun-key", Anywhere(&["mailgun key", "mail key"]), &[&[Text("ke"), Text("y-"), Hex(32)], &[Hex(32), Text("-"), Hex(8), Text("-"), Hex(8)]]),

    // Keys and tokens of standards.
    family("jwt", Anywhere(&["id token", "session"]), &[&[Text("ey"), Text("JhbGciOi"), Url(28), Text(".ey"), Text("J"), Url(90), Text("."), Url(43)], &[Text("ey"), Text("J0eXAiOi"), Url(28), Text(".ey"), Text("J"), Url(180), Text("."), Url(342)]]),
    family("pem-rsa", Block(&["tls key", "private key"]), &[&[Text("-----BEG"), Text("IN RSA PRIV"), Text("ATE KEY-----\n"), Lines(6), Text("\n-----E"), Text("ND RSA PRIV"), Text("ATE KEY-----")], &[Text("-----BEG"), Text("IN PRIV"), Text("ATE KEY-----\n"), Lines(8), Text("\n-----E"), Text("ND PRIV"), Text("ATE KEY-----")]]),
    family("pem-ec", Block(&["signing key", "ec key"]), &[&[Text("-----BEG"), Text("IN EC PRIV"), Text("ATE KEY-----\n"), Lines(2), Text("\n-----E"), Text("ND EC PRIV"), Text("ATE KEY-----")], &[Text("-----BEG"), Text("IN ENCRYPTED PRIV"), Text("ATE KEY-----\n"), Lines(3), Text("\n-----E"), Text("ND ENCRYPTED PRIV"), Text("ATE KEY-----")]]),
    family("openssh-key", Block(&["deploy key", "ssh key"]), &[&[Text("-----BEG"), Text("IN OPENSSH PRIV"), Text("ATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA"), Lines(5), Text("\n-----E"), Text("ND OPENSSH PRIV"), Text("ATE KEY-----")]]),
    family("pgp-private-block", Block(&["signing key", "gpg key"]), &[&[Text("-----BEG"), Text("IN PGP PRIV"), Text("ATE KEY BLOCK-----\nVersion: GnuPG v2\n\n"), Lines(5), Text("\n=aB3x\n-----E"), Text("ND PGP PRIV"), Text("ATE KEY BLOCK-----")]]),
    family("age-key", Anywhere(&["age key", "sops key"]), &[&[Text("AGE-SECRET"), Text("-KEY-1"), Capital(58)]]),
    family("kube-client-key", Named(&["client key data"]), &[&[Text("LS0tLS1CRUdJTiBSU0Eg"), Base64(600), Text("=")]]),
    family("wireguard-key", Named(&["private key", "preshared key"]), &[&[Base64(43), Text("=")]]),

    // Values known by where they stand.
    family("database-url", Texts(DATABASE_URLS), PLAIN_PASSWORDS),
    family("basic-auth-url", Texts(WEB_URLS), PLAIN_PASSWORDS),
    family("bearer-header", Texts(BEARERS), &[&[Alnum(32)], &[Hex(40)], &[Url(64)], &[Uuid]]),
    family("basic-header", Texts(BASICS), &[&[Base64(28)], &[Base64(35), Text("=")], &[Base64(22), Text("==")]]),
    family("session-cookie", Texts(COOKIES), &[&[Alnum(32)], &[Hex(40)], &[Url(43)], &[Text("s%3A"), Url(32), Text("."), Alnum(43)]]),
    family("password", Named(&["password", "db password", "admin passwd", "smtp password"]), PASSWORDS),
    family("secret-or-token", Named(&["secret", "client secret", "access token", "api key", "signing secret"]), &[&[Alnum(24)], &[Url(32)], &[Alnum(16)]]),
    family("hex-key", Named(&["api key", "secret key", "encryption key", "auth token", "datadog api key"]), &[&[Hex(32)], &[Hex(40)], &[Hex(64)]]),
    family("base64-key", Named(&["secret key", "encryption key", "master key", "signing key", "session secret"]), &[&[Base64(43), Text("=")], &[Base64(22), Text("==")], &[Base64(64)]]),
    family("prose-password", Texts(SAID), PASSWORDS),
    family("prose-passphrase", Texts(PHRASES), &[&[OneOf(WORDS), Text(" "), OneOf(&["battery", "lamp", "river"]), Text(" "), OneOf(&["staple", "quiet", "orbit"]), Text(" "), OneOf(WORDS)], &[OneOf(WORDS), Text("-"), OneOf(&["battery", "lamp", "river"]), Text("-"), OneOf(&["staple", "quiet", "orbit"]), Text("-"), Digits(2)]]),
    family("prose-pin", Texts(PINS), &[&[Digits(4)], &[Digits(6)]]),
];

const AZURE_SAS: &[(super::Context, &str)] = &[
    (
        Query,
        "https://acc.blob.core.windows.net/c/f.zip?sv=2022-11-02&se=2026-01-01T00%3A00%3A00Z&sr=b&sp=r&sig={s%}",
    ),
    (Query, "GET https://acc.blob.core.windows.net/c?sig={s%}&sv=2022-11-02&ss=bfqt HTTP/1.1"),
    (
        Json,
        "{\"sasUrl\": \"https://acc.queue.core.windows.net/q?sv=2022-11-02&sig={s%}\", \"ttl\": 60}",
    ),
    (EscapedJson, "{\\\"uri\\\":\\\"https://acc.blob.core.windows.net/c?sp=rw\\u0026sig={s%}\\\"}"),
    (Shell, "azcopy copy ./out 'https://acc.blob.core.windows.net/c?sp=rw&sig={s%}' --recursive"),
    (Env, "SAS_URL=https://acc.blob.core.windows.net/c?sp=rw&sig={s%}"),
    (
        Env,
        "AZURE_CS=BlobEndpoint=https://acc.blob.core.windows.net/;SharedAccessSignature=sv=2022-11-02&sp=rw&sig={s%}",
    ),
    (Yaml, "storage:\n  sas: \"?sv=2022-11-02&sp=rw&sig={s%}\"\n"),
    (
        Log,
        "2026-02-01 10:00:03 WARN upload failed url=https://acc.file.core.windows.net/s?sig={s%}&st=2026 code=403",
    ),
    (Prose, "The pull request contains a link with sig={s%} that anybody can use."),
];

const SLACK_WEBHOOKS: &[(super::Context, &str)] = &[
    (Prose, "The workflow posts to https://hooks.slack.com/services/{s}, which is public now."),
    (Json, "{\"url\": \"https://hooks.slack.com/services/{s}\", \"retries\": 2}"),
    (EscapedJson, "{\\\"url\\\":\\\"https:\\/\\/hooks.slack.com\\/services\\/{s/}\\\"}"),
    (Shell, "export SLACK_WEBHOOK=https://hooks.slack.com/services/{s}"),
    (Curl, "curl -X POST -d '{\"text\":\"hi\"}' https://hooks.slack.com/services/{s}"),
    (Yaml, "notify:\n  webhook: https://hooks.slack.com/services/{s}\n  channel: ops\n"),
    (Env, "WEBHOOK=\"https://hooks.slack.com/services/{s}\""),
    (Log, "2026-02-01T10:00:00Z ERROR post https://hooks.slack.com/services/{s}: 404"),
    (Query, "https://example.com/forward?to=https%3A%2F%2Fhooks.slack.com%2Fservices%2F{s%}&n=1"),
    (
        MultiLine,
        "steps:\n  - run: |\n      notify \\\n        https://hooks.slack.com/services/{s}\n",
    ),
];

const DATABASE_URLS: &[(super::Context, &str)] = &[
    (Userinfo, "postgres://app:{s}@db.example.com:5432/main?sslmode=require"),
    (Userinfo, "redis://:{s}@localhost:6379/0"),
    (Env, "DATABASE_URL=mysql://root:{s}@10.0.0.1/shop"),
    (
        Env,
        "export MONGO_URL=\"mongodb+srv://admin:{s}@cluster0.example.net/test?retryWrites=true\"",
    ),
    (Json, "{\"url\": \"amqp://guest:{s}@mq.example.com/vhost\", \"pool\": 5}"),
    (EscapedJson, "{\\\"dsn\\\":\\\"postgresql://svc:{s}@10.1.2.3:5432/app\\\"}"),
    (Yaml, "database:\n  url: postgres://app:{s}@db/main\n  pool: 5\n"),
    (Shell, "psql postgres://app:{s}@db.example.com/main -c 'select 1'"),
    (Log, "2026-02-01 10:00:00 FATAL cannot reach mysql://app:{s}@db:3306/shop: timeout"),
    (
        Prose,
        "The test connects to postgres://ci:{s}@localhost/test, which should come from the environment.",
    ),
    (Env, "DSN=\"host=db port=5432 user=app password={s} dbname=main\""),
    (Prose, "It builds `Server=db;Database=x;User Id=sa;Password={s};` by hand."),
    (
        MultiLine,
        "[alembic]\nscript_location = migrations\nsqlalchemy.url = postgresql+psycopg2://app:{s}@db/main\n",
    ),
];

const WEB_URLS: &[(super::Context, &str)] = &[
    (Userinfo, "https://deploy:{s}@git.example.com/team/app.git"),
    (Userinfo, "https://oauth2:{s}@gitlab.example.com/team/app.git"),
    (Shell, "git clone https://user:{s}@example.com/a/b.git && cd b"),
    (Shell, "pip install --index-url https://reader:{s}@pypi.example.com/simple/ tool"),
    (Curl, "curl -u admin:{s} https://example.com/api"),
    (Curl, "curl --user 'admin:{s}' -sS https://example.com/api"),
    (Curl, "wget --http-user=ci --http-password={s} https://example.com/file"),
    (Json, "{\"proxy\": \"http://proxy:{s}@10.0.0.2:3128\"}"),
    (EscapedJson, "{\\\"remote\\\":\\\"https:\\/\\/bot:{s}@example.com\\/r.git\\\"}"),
    (Yaml, "remotes:\n  origin: https://bot:{s}@example.com/r.git\n"),
    (Env, "HTTPS_PROXY=http://corp:{s}@proxy.example.com:8080"),
    (Log, "fatal: unable to access 'https://bot:{s}@example.com/r.git/': 403"),
    (Prose, "The remote is <https://bot:{s}@example.com/r.git>, see the config."),
];

const BEARERS: &[(super::Context, &str)] = &[
    (Curl, "curl -H \"Authorization: Bearer {s}\" https://example.com/v1"),
    (Curl, "curl --header 'authorization: bearer {s}' https://example.com/v1"),
    (Shell, "http GET https://example.com/v1 'Authorization:Bearer {s}'"),
    (Json, "{\"Authorization\": \"Bearer {s}\", \"Accept\": \"*/*\"}"),
    (EscapedJson, "{\\\"authorization\\\":\\\"Bearer {s}\\\"}"),
    (Prose, "The client sends `Authorization: Bearer {s}` to every host."),
    (Prose, "It sent Bearer {s}, and got 401."),
    (Yaml, "headers:\n  Authorization: Bearer {s}\n  Accept: text/html\n"),
    (Log, "2026-02-01T10:00:00Z DEBUG > authorization: Bearer {s}"),
    (Log, "10:00:00 request headers={'Authorization': 'Bearer {s}', 'Host': 'x'}"),
    (
        MultiLine,
        "GET /v1/items HTTP/1.1\nHost: example.com\nAuthorization: Bearer {s}\nAccept: */*\n",
    ),
    (Env, "AUTH_HEADER=\"Bearer {s}\""),
];

const BASICS: &[(super::Context, &str)] = &[
    (Curl, "curl -H 'Authorization: Basic {s}' https://example.com/v1"),
    (Json, "{\"Authorization\": \"Basic {s}\"}"),
    (EscapedJson, "{\\\"Authorization\\\":\\\"Basic {s}\\\",\\\"n\\\":1}"),
    (Yaml, "headers:\n  authorization: Basic {s}\n"),
    (Log, "2026-02-01T10:00:00Z DEBUG > Authorization: Basic {s}"),
    (MultiLine, "GET / HTTP/1.1\nAuthorization: Basic {s}\nHost: example.com\n"),
    (Prose, "The fixture holds `Authorization: Basic {s}` from production."),
    (Json, "{\"auths\": {\"registry.example.com\": {\"auth\": \"{s}\"}}}"),
    (Env, "NPM_CONFIG__AUTH={s}"),
    (MultiLine, "//registry.example.com/:_auth={s}\nalways-auth=true\n"),
];

const COOKIES: &[(super::Context, &str)] = &[
    (Curl, "curl -b 'sessionid={s}; theme=dark' https://example.com/"),
    (Curl, "curl -H 'Cookie: csrftoken=abc; session={s}' https://example.com/"),
    (Log, "2026-02-01 10:00:00 DEBUG Set-Cookie: connect.sid={s}; Path=/; HttpOnly"),
    (Log, "> Cookie: PHPSESSID={s}"),
    (Json, "{\"headers\": {\"cookie\": \"JSESSIONID={s}; lang=en\"}}"),
    (EscapedJson, "{\\\"Cookie\\\":\\\"_session_id={s}\\\"}"),
    (MultiLine, "GET / HTTP/1.1\nHost: example.com\nCookie: auth_session={s}\n"),
    (Prose, "The screenshot shows the cookie session_id={s} of an admin."),
    (Yaml, "cookies:\n  session: {s}\n  theme: dark\n"),
    (Shell, "export SESSION_COOKIE={s}"),
    (Query, "https://example.com/account?sid={s}&tab=2"),
];

const SAID: &[(super::Context, &str)] = &[
    (Prose, "The password is {s}"),
    (Prose, "the password is {s}, please rotate it."),
    (Prose, "The admin password was {s} until last week."),
    (Prose, "my password: {s}"),
    (Prose, "Password for the staging database is \"{s}\"."),
    (Prose, "The root password on the build host is `{s}` and never changes."),
    (Prose, "it logs in with the default password '{s}'"),
    (Prose, "Set the password to {s} before you run the tests."),
    (Prose, "password -> {s}"),
    (Prose, "login: admin, password: {s}, host: db"),
    (Prose, "The service account's password (\"{s}\") is in the wiki."),
    (Prose, "The fixture uses \"{s}\" as the password."),
    (Prose, "Passwort ist {s}"),
    (Prose, "the password used in CI is {s}."),
    (Prose, "credentials are admin / {s}"),
    (Json, "{\"note\": \"the password is {s} for now\"}"),
    (EscapedJson, "{\\\"text\\\":\\\"the password is {s} for now\\\"}"),
    (Yaml, "comment: the password is {s}\n"),
    (Log, "2026-02-01 10:00:00 INFO user said: the password is {s}"),
    (MultiLine, "Notes:\n- the password is {s}\n- ask ops for access\n"),
    (Shell, "echo \"the password is {s}\""),
];

const PHRASES: &[(super::Context, &str)] = &[
    (Prose, "The passphrase is \"{s}\"."),
    (Prose, "my passphrase: '{s}'"),
    (Prose, "The key's passphrase was `{s}` in the old image."),
    (Prose, "passphrase = \"{s}\""),
    (Json, "{\"passphrase\": \"{s}\"}"),
    (EscapedJson, "{\\\"passphrase\\\":\\\"{s}\\\"}"),
    (Yaml, "gpg:\n  passphrase: \"{s}\"\n"),
    (Shell, "gpg --batch --passphrase '{s}' --sign out.tar"),
    (Env, "GPG_PASSPHRASE=\"{s}\""),
    (Log, "10:00:00 WARN unlock with passphrase \"{s}\" failed"),
    (MultiLine, "restic:\n  repo: /b\n  passphrase: '{s}'\n"),
];

const PINS: &[(super::Context, &str)] = &[
    (Prose, "The PIN is {s}."),
    (Prose, "the pin was {s} on every device"),
    (Prose, "PIN: {s}"),
    (Prose, "Its pin code is {s}, as on all of them"),
    (Json, "{\"pin\": \"{s}\"}"),
    (Env, "SIM_PIN={s}"),
    (Yaml, "modem:\n  pin: \"{s}\"\n"),
    (Log, "10:00:00 INFO pin={s} accepted"),
    (MultiLine, "Notes:\n- PIN is {s}\n"),
];
