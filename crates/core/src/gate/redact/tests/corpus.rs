//! Made-up secrets by family, and the texts that carry them.
//!
//! Every value comes from a fixed generator and is put together from pieces,
//! so that nothing in this file looks like a key to a scanner.

/// A small linear congruential generator: same seed, same bytes.
pub struct Lcg(u64);

impl Lcg {
    pub fn new(seed: u64) -> Lcg {
        Lcg(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| alphabet.as_bytes()[self.below(alphabet.len())] as char).collect()
    }
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGIT: &str = "0123456789";

fn alnum() -> String {
    [LOWER, UPPER, DIGIT].concat()
}

/// What a generated body is made of.
#[derive(Clone, Copy)]
pub enum Body {
    Alnum(usize),
    Hex(usize),
    Url(usize),
    Base64(usize),
    Capital(usize),
    Digits(usize),
    Text(&'static str),
    OneOf(&'static [&'static str]),
}

impl Body {
    fn make(self, lcg: &mut Lcg) -> String {
        match self {
            Body::Alnum(n) => lcg.text(&alnum(), n),
            Body::Hex(n) => lcg.text("0123456789abcdef", n),
            Body::Url(n) => lcg.text(&[&alnum(), "-_"].concat(), n - 1) + &lcg.text(&alnum(), 1),
            Body::Base64(n) => lcg.text(&[&alnum(), "+/"].concat(), n),
            Body::Capital(n) => lcg.text(&[UPPER, "234567"].concat(), n),
            Body::Digits(n) => lcg.text(DIGIT, n),
            Body::Text(text) => text.to_owned(),
            Body::OneOf(texts) => lcg.pick(texts).to_owned(),
        }
    }
}

/// A family to be found: the pieces of its secrets and the texts it stands in.
pub struct Family {
    pub name: &'static str,
    pub pieces: &'static [Body],
    pub carriers: &'static [&'static str],
}

/// A secret in its carrier.
pub struct Sample {
    pub secret: String,
    /// What stands around the secret, and has to stay.
    pub before: String,
    pub after: String,
}

impl Sample {
    pub fn text(&self) -> String {
        [self.before.as_str(), &self.secret, &self.after].concat()
    }
}

impl Family {
    pub fn samples(&self, count: usize) -> Vec<Sample> {
        let mut lcg = Lcg::new(self.name.len() as u64 * 7919 + u64::from(self.name.as_bytes()[0]));
        (0..count).map(|index| self.sample(&mut lcg, index)).collect()
    }

    fn sample(&self, lcg: &mut Lcg, index: usize) -> Sample {
        let secret: String = self.pieces.iter().map(|piece| piece.make(lcg)).collect();
        let carrier = self.carriers[index % self.carriers.len()];
        let (before, after) = carrier.split_once('@').expect("a carrier has one place");
        let at_sign = |text: &str| text.replace("(at)", "@");
        Sample { secret, before: at_sign(before), after: at_sign(after) }
    }
}

/// Texts in which a secret known by its shape must be found; `@` is its place.
const ANYWHERE: &[&str] = &[
    "The deploy log shows @ in clear text",
    "It was committed as @.",
    "Somebody pasted it (@), then left!",
    "@",
    "{\"note\": \"@\", \"n\": 1}",
    "{\\\"note\\\": \\\"@\\\", \\\"n\\\": 1}",
    "GET https://example.com/callback?code=@&state=ok",
    "export SOME_VALUE=@",
    "curl -H \"X-Thing: @\" https://example.com/v1/items",
    "config:\n  value: @\n  other: 1\n",
    "let value = '@';",
    "Use `@` here",
    "line one\n@\nline three",
    "log: first\\n@\\nsecond",
    "größe → @ – schön",
];

const PASSWORDS: &[&str] = &[
    "password=@",
    "password: @",
    "\"password\": \"@\"",
    "{\\\"password\\\":\\\"@\\\"}",
    "export DB_PASSWORD=@",
    "DB_PASSWORD='@' ./run",
    "mysql --password=@ --host=db",
    "tool --password @ --verbose",
    "db:\n  passwd: @\n  host: x",
    "https://example.com/login?user=a&password=@&next=1",
    "const dbPassword: string = \"@\";",
    "CREATE USER a IDENTIFIED BY '@';",
    "<password>@</password>",
    "settings[\"password\"] = \"@\"",
    "The password '@' is hard-coded",
];

const TOKENS: &[&str] = &[
    "api_key=@",
    "apiKey: '@',",
    "\"client_secret\": \"@\"",
    "export SERVICE_TOKEN=@",
    "ACCESS_KEY_PROD_2=@",
    "curl -H 'X-Api-Key: @' https://example.com",
    "https://example.com/x?access_token=@&y=1",
    "auth:\n  token: \"@\"\n",
    "app --api-key @ run",
    "SECRET_KEY_BASE=@\\nNEXT=1",
];

const URLS: &[&str] = &[
    "postgres://app:@(at)db.example.com:5432/main",
    "redis://:@(at)localhost:6379/0",
    "DATABASE_URL=mysql://root:@(at)10.0.0.1/x?ssl=1",
    "{\"url\": \"amqp://guest:@(at)mq/vhost\"}",
    "git clone https://user:@(at)example.com/a/b.git, then build",
    "see <https://user:@(at)example.com>.",
];

const BEARERS: &[&str] = &[
    "Authorization: Bearer @",
    "curl -H \"Authorization: Bearer @\" https://example.com",
    "{\"Authorization\": \"Bearer @\"}",
    "headers = {'authorization': 'bearer @'}",
    "It sent Bearer @, and got 401.",
];

const BASICS: &[&str] = &[
    "Authorization: Basic @",
    "curl -H \"authorization: basic @\" https://example.com",
    "{\"Authorization\": \"Basic @\"}",
];

const KEY_BLOCKS: &[&str] = &["Found:\n@\nin the image", "{\"key\": \"@\"}", "KEY='@'", "tail @"];

const AWS: &[&str] = &[
    "aws_secret_access_key = @",
    "AWS_SECRET_ACCESS_KEY=@",
    "\"SecretAccessKey\": \"@\"",
    "aws_secret_key: @",
    "export AWS_SECRET_ACCESS_KEY=\"@\"",
];

const AZURE: &[&str] = &[
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@;EndpointSuffix=core.windows.net",
    "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=@",
];

const fn family(name: &'static str, pieces: &'static [Body]) -> Family {
    Family { name, pieces, carriers: ANYWHERE }
}

const fn within(
    name: &'static str,
    pieces: &'static [Body],
    carriers: &'static [&'static str],
) -> Family {
    Family { name, pieces, carriers }
}

use Body::{Alnum, Base64, Capital, Digits, Hex, OneOf, Text, Url};

#[rustfmt::skip]
pub const FAMILIES: &[Family] = &[
    family("aws-access-key", &[OneOf(&["AK", "AS"]), Text("IA"), Capital(16)]),
    family("github-token", &[Text("gh"), OneOf(&["p", "o", "u", "s", "r"]), Text("_"), Alnum(36)]),
    family("github-pat", &[Text("github"), Text("_pat_"), Alnum(22), Text("_"), Alnum(59)]),
    family("gitlab-token", &[Text("gl"), OneOf(&["pat", "dt", "rt", "cbt", "ptt", "ft", "imt", "agent"]), Text("-"), Url(20)]),
    family("gitlab-routable", &[Text("gl"), Text("pat-"), Url(27), Text("."), Hex(2), Text("."), Alnum(9)]),
    family("slack-token", &[Text("xox"), OneOf(&["b", "p", "a", "r", "s"]), Text("-"), Digits(11), Text("-"), Digits(12), Text("-"), Alnum(24)]),
    family("slack-app", &[Text("xa"), Text("pp-1-A"), Digits(10), Text("-"), Digits(13), Text("-"), Hex(64)]),
    within("slack-webhook", &[Text("T"), Capital(8), Text("/B"), Capital(8), Text("/"), Alnum(24)], &["post to https://hooks.slack.com/services/@.", "\"https://hooks.slack.com/services/@\""]),
    family("stripe-key", &[OneOf(&["sk", "rk"]), OneOf(&["_live_", "_test_"]), Alnum(24)]),
    family("stripe-webhook", &[Text("wh"), Text("sec_"), Alnum(32)]),
    family("openai-old", &[Text("s"), Text("k-"), Alnum(48)]),
    family("openai-project", &[Text("s"), Text("k-"), OneOf(&["proj", "svcacct", "admin"]), Text("-"), Url(74)]),
    family("anthropic-key", &[Text("s"), Text("k-ant-"), OneOf(&["api03-", "admin01-", "oat01-"]), Url(95)]),
    family("google-api-key", &[Text("AI"), Text("za"), Url(35)]),
    family("google-oauth", &[Text("ya"), Text("29."), Url(80)]),
    family("google-client", &[Text("GOC"), Text("SPX-"), Url(28)]),
    family("npm-token", &[Text("np"), Text("m_"), Alnum(36)]),
    family("pypi-token", &[Text("py"), Text("pi-AgEI"), Url(90)]),
    family("jwt", &[Text("ey"), Text("J"), Url(33), Text(".ey"), Text("J"), Url(90), Text("."), Url(43)]),
    family("jwe", &[Text("ey"), Text("J"), Url(60), Text("."), Url(64), Text("."), Url(16), Text("."), Url(90), Text("."), Url(22)]),
    family("sendgrid-key", &[Text("S"), Text("G."), Url(22), Text("."), Url(43)]),
    family("twilio-key", &[Text("S"), Text("K"), Hex(32)]),
    family("digitalocean-token", &[Text("do"), OneOf(&["p", "o", "r"]), Text("_v1_"), Hex(64)]),
    family("huggingface-token", &[Text("h"), Text("f_"), Alnum(34)]),
    family("databricks-token", &[Text("da"), Text("pi"), Hex(32)]),
    family("shopify-token", &[Text("sh"), OneOf(&["pat", "pca", "ppa", "pss"]), Text("_"), Hex(32)]),
    family("telegram-token", &[Text("7"), Digits(9), Text(":AA"), Url(33)]),
    family("discord-token", &[OneOf(&["M", "N", "O"]), Alnum(23), Text("."), Url(6), Text("."), Url(38)]),
    family("vault-token", &[Text("hv"), OneOf(&["s", "b"]), Text("."), Url(24)]),
    family("linear-key", &[Text("lin"), Text("_api_"), Alnum(40)]),
    family("docker-token", &[Text("dckr"), Text("_pat_"), Url(27)]),
    family("heroku-key", &[Text("HR"), Text("KU-AA"), Url(58)]),
    family("mailgun-key", &[Text("ke"), Text("y-"), Hex(32)]),
    family("mailchimp-key", &[Hex(32), Text("-us"), Digits(2)]),
    family("square-token", &[Text("sq0"), OneOf(&["atp-", "csp-"]), Url(43)]),
    family("age-key", &[Text("AGE-SECRET"), Text("-KEY-1"), Capital(58)]),
    family("cloudflare-ca", &[Text("v1."), Text("0-"), Hex(24), Text("-"), Hex(146)]),
    family("azure-client", &[Alnum(3), Text("8Q"), Text("~"), Url(34)]),
    family("grafana-token", &[Text("gl"), Text("sa_"), Alnum(32), Text("_"), Hex(8)]),
    family("groq-key", &[Text("gs"), Text("k_"), Alnum(52)]),
    family("rubygems-token", &[Text("ruby"), Text("gems_"), Hex(48)]),
    family("random-32", &[Alnum(32)]),
    family("random-40", &[Base64(40)]),
    within("aws-secret-key", &[Base64(40)], AWS),
    within("azure-key", &[Base64(86), Text("==")], AZURE),
    within("password", &[OneOf(&["horse", "Zebra", "blue"]), Digits(3), OneOf(&["", "!", "x"]), Alnum(4)], PASSWORDS),
    within("api-key", &[Alnum(24)], TOKENS),
    within("api-key-hex", &[Hex(32)], TOKENS),
    within("url-password", &[Alnum(5), OneOf(&["", "%40", "!", "$", "="]), Alnum(6)], URLS),
    within("bearer-token", &[Alnum(32)], BEARERS),
    within("basic-auth", &[Base64(28)], BASICS),
    within("private-key", &[Text("-----BEG"), Text("IN RSA PRIV"), Text("ATE KEY-----\n"), Base64(64), Text("\n"), Base64(64), Text("\n-----E"), Text("ND RSA PRIV"), Text("ATE KEY-----")], KEY_BLOCKS),
    within("private-key-line", &[Text("-----BEG"), Text("IN PRIV"), Text("ATE KEY-----\\n"), Base64(64), Text("\\n"), Base64(64), Text("\\n-----E"), Text("ND PRIV"), Text("ATE KEY-----\\n")], KEY_BLOCKS),
    within("private-key-open", &[Text("-----BEG"), Text("IN OPENSSH PRIV"), Text("ATE KEY-----\n"), Base64(64), Text("\n"), Base64(30)], &["Found:\n@", "{\"key\": \"@"]),
];
