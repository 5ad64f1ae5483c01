//! Which providers' secrets are known by their own shape?
//!
//! One table, most telling rows first where two rows share a beginning. Rows
//! say how short a body may be; most bodies may be longer than today's format,
//! since providers lengthen their tokens more often than they rename them.
//! How a row is matched is in `scan`.

/// Which bytes a part of a secret is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    Digit,
    Hex,
    /// Capitals and digits.
    Capital,
    Alnum,
    /// Letters, digits, `_`.
    Word,
    /// Letters, digits, `-`.
    Dash,
    /// Letters, digits, `_`, `-`.
    Base64Url,
    /// Letters, digits, `+`, `/`, `=`, `_`, `-`.
    Base64,
    /// Letters, digits, `_`, `-`, `.`, `~`.
    Dotted,
    /// Letters, digits, `_`, `-`, `/`, also as a query (`%2F`) or JSON (`\/`) spells it.
    Path,
    /// Base64, also as a query spells it.
    Coded,
}

impl Set {
    pub(super) fn has(self, byte: u8) -> bool {
        MEMBERS[byte as usize] & (1 << self as u16) != 0
    }

    const fn defines(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Set::Digit => byte.is_ascii_digit(),
            Set::Hex => byte.is_ascii_hexdigit(),
            Set::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Set::Alnum => alnum,
            Set::Word => alnum || byte == b'_',
            Set::Dash => alnum || byte == b'-',
            Set::Base64Url => alnum || matches!(byte, b'_' | b'-'),
            Set::Base64 => alnum || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
            Set::Dotted => alnum || matches!(byte, b'_' | b'-' | b'.' | b'~'),
            Set::Path => alnum || matches!(byte, b'_' | b'-' | b'/' | b'%' | b'\\'),
            Set::Coded => alnum || matches!(byte, b'+' | b'/' | b'=' | b'%'),
        }
    }
}

const SETS: [Set; 11] = [
    Set::Digit,
    Set::Hex,
    Set::Capital,
    Set::Alnum,
    Set::Word,
    Set::Dash,
    Set::Base64Url,
    Set::Base64,
    Set::Dotted,
    Set::Path,
    Set::Coded,
];

/// For each byte, one bit per set it belongs to: the scan asks this for every byte it reads.
static MEMBERS: [u16; 256] = {
    let mut members = [0; 256];
    let mut byte = 0;
    while byte < members.len() {
        let mut index = 0;
        while index < SETS.len() {
            if SETS[index].defines(byte as u8) {
                members[byte] |= 1 << SETS[index] as u16;
            }
            index += 1;
        }
        byte += 1;
    }
    members
};

/// `min..=max` bytes of one set, as many as there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub set: Set,
    pub min: usize,
    pub max: usize,
}

/// What follows the first run of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Literal(&'static str),
    Run(Run),
}

/// What must be true of the body beyond its alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Not one letter repeated: `xxxxxxxx` is an example, not a secret.
    Varied,
    /// Varied, with a digit.
    WithDigit,
    /// Varied and not made of words: `your-key-goes-here` is an example too.
    Random,
    /// Random, with a digit and letters of both cases.
    Mixed,
}

/// Where a shape may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// Not directly after a letter or digit.
    Word,
    /// Anywhere: the lead is telling enough by itself.
    Any,
}

/// How much of a match is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hide {
    All,
    /// The lead, an address, stays readable.
    AfterLead,
}

/// A secret known by its shape: a lead, a run, and perhaps further parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub family: &'static str,
    pub lead: &'static str,
    pub body: Run,
    pub more: &'static [Part],
    pub look: Look,
    pub edge: Edge,
    pub hide: Hide,
}

impl Shape {
    const fn exactly(mut self) -> Shape {
        self.body.max = self.body.min;
        self
    }

    const fn look(mut self, look: Look) -> Shape {
        self.look = look;
        self
    }

    const fn anywhere(mut self) -> Shape {
        self.edge = Edge::Any;
        self
    }

    /// The body ends at `max`, then come `more` parts.
    const fn then(mut self, max: usize, more: &'static [Part]) -> Shape {
        self.body.max = max;
        self.more = more;
        self
    }

    const fn keep_lead(mut self) -> Shape {
        self.hide = Hide::AfterLead;
        self
    }
}

/// A run without an upper bound.
pub(super) const OPEN_END: usize = usize::MAX;

const fn shape(family: &'static str, lead: &'static str, set: Set, min: usize) -> Shape {
    Shape {
        family,
        lead,
        body: Run { set, min, max: OPEN_END },
        more: &[],
        look: Look::Varied,
        edge: Edge::Word,
        hide: Hide::All,
    }
}

const fn run(set: Set, min: usize, max: usize) -> Part {
    Part::Run(Run { set, min, max })
}

/// Only the last run of a shape may be open; this is long for any other.
const MAX_PAYLOAD: usize = 16 * 1024;

/// A header this long carries certificates; the bound keeps failed looks short.
const MAX_JWT_HEADER: usize = 640;

/// What follows the header of a signed token: payload and signature.
const JWT_REST: &[Part] = &[
    Part::Literal(".eyJ"),
    run(Set::Base64Url, 4, MAX_PAYLOAD),
    Part::Literal("."),
    run(Set::Base64Url, 0, OPEN_END),
];

/// A token that lost its signature still shows whom it was made for.
const JWT_UNSIGNED: &[Part] = &[Part::Literal(".eyJ"), run(Set::Base64Url, 16, OPEN_END)];

/// What follows the header of an encrypted token: key (or nothing), vector, payload, tag.
const JWE_REST: &[Part] = &[
    Part::Literal("."),
    run(Set::Base64Url, 0, 1024),
    Part::Literal("."),
    run(Set::Base64Url, 8, 64),
    Part::Literal("."),
    run(Set::Base64Url, 8, MAX_PAYLOAD),
    Part::Literal("."),
    run(Set::Base64Url, 8, OPEN_END),
];

const DISCORD_REST: &[Part] = &[
    Part::Literal("."),
    run(Set::Base64Url, 6, 6),
    Part::Literal("."),
    run(Set::Base64Url, 27, 40),
];

/// The built-in shapes.
#[rustfmt::skip]
pub(super) static SHAPES: &[Shape] = &[
    // Clouds.
    shape("aws-access-key", "AKIA", Set::Capital, 16).exactly(),
    shape("aws-access-key", "ASIA", Set::Capital, 16).exactly(),
    shape("aws-access-key", "ABIA", Set::Capital, 16).exactly(),
    shape("aws-access-key", "ACCA", Set::Capital, 16).exactly(),
    shape("aws-bedrock-key", "ABSK", Set::Base64, 100),
    shape("google-api-key", "AIza", Set::Base64Url, 30),
    shape("google-oauth", "ya29.", Set::Base64Url, 20),
    shape("google-oauth", "GOCSPX-", Set::Base64Url, 20).anywhere(),
    shape("google-oauth", "1//0", Set::Base64Url, 30).look(Look::Random),
    shape("azure-client-secret", "", Set::Dotted, 3).then(3, &[
        run(Set::Digit, 1, 1), Part::Literal("Q~"), run(Set::Dotted, 30, 40),
    ]),
    shape("alibaba-key", "LTAI", Set::Alnum, 16).look(Look::WithDigit),
    shape("digitalocean-token", "dop_v1_", Set::Hex, 32).anywhere(),
    shape("digitalocean-token", "doo_v1_", Set::Hex, 32).anywhere(),
    shape("digitalocean-token", "dor_v1_", Set::Hex, 32).anywhere(),
    shape("cloudflare-token", "v1.0-", Set::Hex, 24).then(24, &[
        Part::Literal("-"), run(Set::Hex, 100, OPEN_END),
    ]),
    shape("cloudflare-token", "cfut_", Set::Word, 30).look(Look::Random),
    shape("cloudflare-token", "cfat_", Set::Word, 30).look(Look::Random),
    shape("heroku-key", "HRKU-", Set::Base64Url, 30).anywhere(),
    shape("fly-token", "FlyV1 fm", Set::Base64, 40),
    shape("fly-token", "fo1_", Set::Base64Url, 40).look(Look::Random),
    shape("netlify-token", "nfp_", Set::Alnum, 30).look(Look::WithDigit),
    shape("render-key", "rnd_", Set::Alnum, 28).look(Look::WithDigit),
    shape("pulumi-token", "pul-", Set::Hex, 40).exactly(),
    shape("terraform-token", "", Set::Alnum, 14).then(14, &[
        Part::Literal(".atlasv1."), run(Set::Base64Url, 40, OPEN_END),
    ]),
    shape("vault-token", "hvs.", Set::Base64Url, 20),
    shape("vault-token", "hvb.", Set::Base64Url, 20),
    shape("vault-token", "hvr.", Set::Base64Url, 20),
    shape("doppler-token", "dp.pt.", Set::Alnum, 36),
    shape("doppler-token", "dp.st.", Set::Dotted, 36).look(Look::Random),
    shape("tailscale-key", "tskey-", Set::Dash, 20).look(Look::WithDigit).anywhere(),
    shape("planetscale-token", "pscale_", Set::Dotted, 32).look(Look::Random),
    shape("supabase-key", "sbp_", Set::Hex, 40),
    shape("supabase-key", "sb_secret_", Set::Base64Url, 20).look(Look::Random),
    shape("databricks-token", "dapi", Set::Hex, 32).exactly(),

    // Code hosting and package registries.
    shape("github-token", "ghp_", Set::Word, 30).anywhere(),
    shape("github-token", "gho_", Set::Word, 30).anywhere(),
    shape("github-token", "ghu_", Set::Word, 30).anywhere(),
    shape("github-token", "ghs_", Set::Dotted, 30).anywhere(),
    shape("github-token", "ghr_", Set::Word, 30).anywhere(),
    shape("github-token", "github_pat_", Set::Word, 22).look(Look::Random).anywhere(),
    shape("gitlab-token", "glpat-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "gldt-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glrt-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glrtr-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glcbt-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glptt-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glft-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glimt-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glsoat-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glagent-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glffct-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "gloas-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "glwt-", Set::Dotted, 16).anywhere(),
    shape("gitlab-token", "_gitlab_session=", Set::Hex, 32).keep_lead(),
    shape("gitlab-token", "GR1348941", Set::Base64Url, 20).anywhere(),
    shape("bitbucket-token", "ATBB", Set::Base64, 24).look(Look::Mixed),
    shape("atlassian-token", "ATATT3", Set::Base64, 60),
    shape("npm-token", "npm_", Set::Alnum, 30).anywhere(),
    shape("pypi-token", "pypi-", Set::Base64Url, 32).look(Look::Random).anywhere(),
    shape("rubygems-token", "rubygems_", Set::Hex, 40).anywhere(),
    shape("crates-token", "cio", Set::Alnum, 32).look(Look::Mixed).exactly(),
    shape("nuget-key", "oy2", Set::Alnum, 43).look(Look::WithDigit).exactly(),
    shape("clojars-token", "CLOJARS_", Set::Hex, 50),
    shape("docker-token", "dckr_pat_", Set::Base64Url, 20).anywhere(),
    shape("docker-token", "dckr_oat_", Set::Base64Url, 20).anywhere(),
    shape("artifactory-key", "AKCp", Set::Alnum, 60),
    shape("circleci-token", "CCIPAT_", Set::Word, 40),
    shape("buildkite-token", "bkua_", Set::Hex, 40),
    shape("sonar-token", "squ_", Set::Hex, 40),
    shape("sonar-token", "sqp_", Set::Hex, 40),
    shape("sonar-token", "sqa_", Set::Hex, 40),

    // Model providers.
    shape("anthropic-key", "sk-ant-", Set::Base64Url, 20).look(Look::Random),
    shape("openrouter-key", "sk-or-", Set::Base64Url, 32).look(Look::WithDigit),
    shape("openai-key", "sk-proj-", Set::Base64Url, 20).look(Look::Random),
    shape("openai-key", "sk-svcacct-", Set::Base64Url, 20).look(Look::Random),
    shape("openai-key", "sk-admin-", Set::Base64Url, 20).look(Look::Random),
    shape("langfuse-key", "sk-lf-", Set::Dash, 30).look(Look::WithDigit),
    shape("openai-key", "sk-", Set::Alnum, 20).look(Look::WithDigit),
    shape("openai-key", "sk-", Set::Base64Url, 32).look(Look::Mixed),
    shape("huggingface-token", "hf_", Set::Alnum, 30),
    shape("huggingface-token", "api_org_", Set::Alnum, 30),
    shape("groq-key", "gsk_", Set::Alnum, 40),
    shape("xai-key", "xai-", Set::Alnum, 60),
    shape("perplexity-key", "pplx-", Set::Alnum, 32),
    shape("replicate-token", "r8_", Set::Alnum, 32),
    shape("nvidia-key", "nvapi-", Set::Base64Url, 40).look(Look::Random),

    // Payment.
    shape("stripe-key", "sk_live_", Set::Alnum, 16).anywhere(),
    shape("stripe-key", "sk_test_", Set::Alnum, 16).anywhere(),
    shape("stripe-key", "rk_live_", Set::Alnum, 16).anywhere(),
    shape("stripe-key", "rk_test_", Set::Alnum, 16).anywhere(),
    shape("stripe-key", "whsec_", Set::Base64, 24).look(Look::Random).anywhere(),
    shape("square-token", "sq0atp-", Set::Base64Url, 22).anywhere(),
    shape("square-token", "sq0csp-", Set::Base64Url, 22).anywhere(),
    shape("square-token", "EAAA", Set::Base64Url, 56).look(Look::Mixed),
    shape("shopify-token", "shpat_", Set::Alnum, 30).anywhere(),
    shape("shopify-token", "shpca_", Set::Alnum, 30).anywhere(),
    shape("shopify-token", "shppa_", Set::Alnum, 30).anywhere(),
    shape("shopify-token", "shpss_", Set::Alnum, 30).anywhere(),

    // Talk and mail.
    shape("slack-token", "xoxb-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxp-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxa-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxr-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxs-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxo-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxc-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxd-", Set::Base64, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxe-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xoxe.xox", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-token", "xapp-", Set::Dash, 10).look(Look::WithDigit).anywhere(),
    shape("slack-webhook", "hooks.slack.com/services/", Set::Path, 20).look(Look::WithDigit).keep_lead(),
    shape("slack-webhook", "hooks.slack.com/services/", Set::Path, 20).look(Look::Random).keep_lead(),
    shape("slack-webhook", "hooks.slack.com\\/services\\/", Set::Path, 20).look(Look::WithDigit).keep_lead(),
    shape("slack-webhook", "hooks.slack.com%2Fservices%2F", Set::Path, 20).look(Look::WithDigit).keep_lead().anywhere(),
    shape("slack-webhook", "hooks.slack.com/workflows/", Set::Path, 20).look(Look::WithDigit).keep_lead(),
    shape("slack-webhook", "hooks.slack.com/triggers/", Set::Path, 20).look(Look::WithDigit).keep_lead(),
    shape("discord-webhook", "discord.com/api/webhooks/", Set::Path, 40).look(Look::WithDigit).keep_lead(),
    shape("discord-webhook", "discordapp.com/api/webhooks/", Set::Path, 40).look(Look::WithDigit).keep_lead(),
    shape("discord-token", "M", Set::Base64Url, 22).then(28, DISCORD_REST),
    shape("discord-token", "N", Set::Base64Url, 22).then(28, DISCORD_REST),
    shape("discord-token", "O", Set::Base64Url, 22).then(28, DISCORD_REST),
    shape("telegram-token", "", Set::Digit, 8).then(10, &[
        Part::Literal(":"), run(Set::Base64Url, 34, 36),
    ]),
    shape("telegram-token", "bot", Set::Digit, 8).then(10, &[
        Part::Literal(":"), run(Set::Base64Url, 34, 36),
    ]),
    shape("telegram-token", "", Set::Digit, 8).then(10, &[
        Part::Literal("%3A"), run(Set::Base64Url, 34, 36),
    ]),
    shape("sendgrid-key", "SG.", Set::Base64Url, 16).then(32, &[
        Part::Literal("."), run(Set::Base64Url, 32, OPEN_END),
    ]),
    shape("twilio-key", "SK", Set::Hex, 32).exactly(),
    shape("mailgun-key", "key-", Set::Hex, 32).exactly(),
    shape("mailgun-key", "", Set::Hex, 32).then(32, &[
        Part::Literal("-"), run(Set::Hex, 8, 8), Part::Literal("-"), run(Set::Hex, 8, 8),
    ]),
    shape("mailchimp-key", "", Set::Hex, 32).then(32, &[
        Part::Literal("-us"), run(Set::Digit, 1, 2),
    ]),
    shape("brevo-key", "xkeysib-", Set::Dash, 40),

    // Tools around the work.
    shape("linear-key", "lin_api_", Set::Alnum, 30).anywhere(),
    shape("linear-key", "lin_oauth_", Set::Alnum, 30).anywhere(),
    shape("notion-token", "ntn_", Set::Alnum, 40),
    shape("notion-token", "secret_", Set::Alnum, 43).look(Look::Mixed).exactly(),
    shape("figma-token", "figd_", Set::Base64Url, 36).look(Look::Random),
    shape("airtable-token", "pat", Set::Alnum, 14).then(14, &[
        Part::Literal("."), run(Set::Hex, 60, OPEN_END),
    ]),
    shape("postman-key", "PMAK-", Set::Dash, 40),
    shape("newrelic-key", "NRAK-", Set::Capital, 24),
    shape("grafana-token", "glsa_", Set::Word, 36),
    shape("grafana-token", "glc_", Set::Base64, 40).look(Look::Random),
    shape("sentry-token", "sntrys_", Set::Base64, 40),
    shape("sentry-token", "sntryu_", Set::Hex, 40),
    shape("dynatrace-token", "dt0c01.", Set::Alnum, 24).then(24, &[
        Part::Literal("."), run(Set::Alnum, 60, OPEN_END),
    ]),
    shape("contentful-token", "CFPAT-", Set::Base64Url, 40),
    shape("typeform-token", "tfp_", Set::Dotted, 40).look(Look::Random),
    shape("onepassword-token", "ops_eyJ", Set::Base64, 60),
    shape("mapbox-token", "sk.eyJ", Set::Base64Url, 20).then(MAX_JWT_HEADER, &[
        Part::Literal("."), run(Set::Base64Url, 16, OPEN_END),
    ]),
    shape("age-key", "AGE-SECRET-KEY-1", Set::Alnum, 40).anywhere(),
    shape("age-key", "AGE-SECRET-KEY-PQ-1", Set::Alnum, 40).anywhere(),

    // Key blocks in base64, as Kubernetes keeps them. What is encoded is the header line
    // of a private key; a certificate's begins differently.
    shape("private-key", "LS0tLS1CRUdJTiBSU0Eg", Set::Coded, 40),
    shape("private-key", "LS0tLS1CRUdJTiBQUklWQVRF", Set::Coded, 40),
    shape("private-key", "LS0tLS1CRUdJTiBFQyBQ", Set::Coded, 40),
    shape("private-key", "LS0tLS1CRUdJTiBPUEVOU1NI", Set::Coded, 40),
    shape("private-key", "LS0tLS1CRUdJTiBFTkNSWVBU", Set::Coded, 40),
    shape("private-key", "LS0tLS1CRUdJTiBEU0Eg", Set::Coded, 40),
    shape("private-key", "LS0tLS1CRUdJTiBQR1AgUFJJ", Set::Coded, 40),

    // Signed and encrypted web tokens.
    shape("jwt", "eyJ", Set::Base64Url, 6).then(MAX_JWT_HEADER, JWT_REST),
    shape("jwt", "eyJ", Set::Base64Url, 6).then(MAX_JWT_HEADER, JWT_UNSIGNED),
    shape("jwt", "eyJ", Set::Base64Url, 16).then(MAX_JWT_HEADER, JWE_REST),
];
