//! In which texts do secrets stand? Builds each case: a value in prose, JSON, a URL, a
//! shell line, a settings file, over several lines, or in a log, written as that place
//! would write it.

use super::families::{Family, Place};
use crate::random::Random;

/// The sort of text that a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Context {
    Prose,
    Json,
    EscapedJson,
    /// `scheme://user:value@host`.
    Userinfo,
    Query,
    Shell,
    Curl,
    Yaml,
    Toml,
    Env,
    MultiLine,
    Log,
    /// What a rule that was brought describes by itself.
    Own,
}

impl Context {
    pub const ALL: &[Context] = &[
        Context::Prose,
        Context::Json,
        Context::EscapedJson,
        Context::Userinfo,
        Context::Query,
        Context::Shell,
        Context::Curl,
        Context::Yaml,
        Context::Toml,
        Context::Env,
        Context::MultiLine,
        Context::Log,
    ];

    /// How the table calls it.
    pub fn word(self) -> &'static str {
        match self {
            Context::Prose => "prose",
            Context::Json => "json",
            Context::EscapedJson => "escaped json",
            Context::Userinfo => "url userinfo",
            Context::Query => "url query",
            Context::Shell => "shell",
            Context::Curl => "curl",
            Context::Yaml => "yaml",
            Context::Toml => "toml",
            Context::Env => "env",
            Context::MultiLine => "multi-line",
            Context::Log => "log",
            Context::Own => "its own text",
        }
    }

    /// Texts for a value; `{s}` is its place, `{n}` and its like the place of its name.
    fn templates(self) -> &'static [&'static str] {
        match self {
            Context::Prose => &[
                "The deploy log prints {n w} {s} in clear text.",
                "Reviewer note: the {n w} `{s}` was committed with the fixture.",
                "The {n w} is {s}, rotate it.",
                "The {n w} was \"{s}\" before the fix.",
                "{n w}: {s}",
                "Somebody pasted the {n w} ({s}) into the issue.",
                "It falls back to '{s}' as {n w} when the variable is unset.",
                "The {n w} = {s} line must go.",
            ],
            Context::Json => &[
                "{\"{n c}\": \"{s}\", \"n\": 1}",
                "{\"{n s}\":\"{s}\"}",
                "{\"env\": [{\"name\": \"{n U}\", \"value\": \"{s}\"}]}",
                "{\"items\": {\"{n k}\": \"{s}\"}, \"ok\": true}",
            ],
            Context::EscapedJson => &[
                "{\\\"{n c}\\\": \\\"{s}\\\", \\\"n\\\": 1}",
                "\"{\\\"{n s}\\\":\\\"{s}\\\"}\"",
                "{\"body\": \"{\\\\\\\"{n s}\\\\\\\":\\\\\\\"{s}\\\\\\\"}\"}",
                "payload: \\n  {n s}: {s}\\n  other: 1",
            ],
            Context::Userinfo => &[
                "https://x-access-token:{s%}@example.com/team/app.git",
                "https://user:{s%}@example.com/",
                "git push https://bot:{s%}@example.com/team/app.git main",
            ],
            Context::Query => &[
                "https://example.com/v1/items?{n s}={s%}&page=2",
                "GET /callback?state=1&{n s}={s%} HTTP/1.1",
                "https://example.com/v1?page=1&{n c}={s%}",
            ],
            Context::Shell => &[
                "export {n U}={s}",
                "export {n U}=\"{s}\"",
                "{n U}='{s}' ./deploy.sh --all",
                "deploy --{n k} {s} --region eu",
                "deploy --{n k}={s}",
                "deploy --{n k} '{s}'",
            ],
            Context::Curl => &[
                "curl -H \"X-{n k}: {s}\" https://example.com/v1",
                "curl --header 'X-{n k}: {s}' -sS https://example.com/v1",
                "curl -d '{n s}={s%}' https://example.com/v1",
            ],
            Context::Yaml => &[
                "service:\n  {n s}: {s}\n  port: 80\n",
                "service:\n  {n c}: \"{s}\"\n",
                "- name: {n U}\n  value: \"{s}\"\n",
                "  {n k}: '{s}' # for now\n",
            ],
            Context::Toml => &[
                "[service]\n{n s} = \"{s}\"\n",
                "[service]\n{n k} = '{s}'\nport = 80\n",
                "{n s}=\"{s}\"",
            ],
            Context::Env => &["{n U}={s}\n", "A=1\n{n U}=\"{s}\"\nB=2\n", "APP_{n U}={s}"],
            Context::MultiLine => &[
                "service:\n  {n s}: |\n    {s|}\n  port: 80\n",
                "deploy \\\n  --{n k} \\\n  {s} \\\n  --region eu\n",
                "cat > .env <<EOF\n{n U}={s}\nEOF\n",
                "{\n  \"{n c}\":\n    \"{s}\",\n  \"n\": 1\n}",
                "{n w}:\n\n    {s|}\n\nis what it prints",
                "{n U} = (\n    \"{s}\"\n)\n",
            ],
            Context::Log => &[
                "2026-03-01T10:22:11Z ERROR http: request failed {n s}={s} status=401",
                "level=warn msg=\"login failed\" {n s}=\"{s}\" took=3ms",
                "[worker-3] 10:22:11 DEBUG config {n c}: {s}",
                "{\"ts\":1,\"level\":\"warn\",\"msg\":\"{n s}={s} was refused\"}",
            ],
            Context::Own => &["{s}"],
        }
    }
}

/// A made-up secret in a text.
#[derive(Clone, Debug)]
pub struct Case {
    pub context: Context,
    pub text: String,
    /// The value, and other spellings in which the text holds it.
    pub spellings: Vec<String>,
}

/// What a name says when it says nothing.
const NEUTRAL: &[&str] = &["value", "build arg", "result", "note", "input"];

/// The cases of a family: values in turn of shapes, contexts and texts.
pub fn cases(family: &Family, n: usize, seed: u64) -> Vec<Case> {
    let mut chance = Random::named(seed, family.name);
    (0..n).map(|index| case(family, index, &mut chance)).collect()
}

fn case(family: &Family, index: usize, chance: &mut Random) -> Case {
    let value = family.value(chance.index(family.shapes.len()), chance);
    match family.place {
        // Every other text gives no hint: there the shape alone has to tell.
        Place::Anywhere(names) => {
            let names = if index.is_multiple_of(2) { names } else { NEUTRAL };
            anywhere(&value, names, index / 2, chance)
        }
        Place::Named(names) => anywhere(&value, names, index, chance),
        Place::Block(names) => block(&value, chance.pick(names), index),
        Place::Texts(texts) => {
            let (context, text) = texts[index % texts.len()];
            fill(context, text, &value, "")
        }
    }
}

/// The case with this number of a value under one of `names`.
pub(super) fn anywhere(value: &str, names: &[&str], index: usize, chance: &mut Random) -> Case {
    let context = Context::ALL[index % Context::ALL.len()];
    let templates = context.templates();
    let template = templates[(index / Context::ALL.len()) % templates.len()];
    fill(context, template, value, chance.pick(names))
}

/// Blocks of lines as files, settings, values and quotations have them.
fn block(value: &str, name: &str, index: usize) -> Case {
    let texts: [(Context, &str); 12] = [
        (Context::MultiLine, "Found in the image:\n{s}\nand in the backup."),
        (Context::MultiLine, "cat > key.pem <<'EOF'\n{s}\nEOF\nchmod 600 key.pem\n"),
        (Context::Yaml, "service:\n  {n s}: |\n    {s|}\n  port: 80\n"),
        (Context::Json, "{\"{n c}\": \"{s}\", \"n\": 1}"),
        (Context::EscapedJson, "{\\\"{n c}\\\":\\\"{s}\\\"}"),
        (Context::Toml, "{n s} = \"\"\"\n{s}\n\"\"\"\n"),
        (Context::Env, "{n U}=\"{s\\}\"\nOTHER=1\n"),
        (Context::Shell, "export {n U}='{s}'\necho done\n"),
        (Context::Prose, "The fixture holds {s} and nobody noticed."),
        (Context::MultiLine, "Quoted:\n> {s>}\nas you see."),
        (Context::Log, "10:22:11 DEBUG loaded {n s}: {s\\}"),
        (Context::MultiLine, "+    {n c}: `{s+}`,\n"),
    ];
    let (context, text) = texts[index % texts.len()];
    fill(context, text, value, name)
}

/// Writes value and name into a template, spelled as the place needs it.
fn fill(context: Context, template: &str, value: &str, name: &str) -> Case {
    let in_json = matches!(context, Context::Json | Context::EscapedJson);
    let plain = if in_json { json_spelling(value) } else { value.to_owned() };
    let spellings = [
        ("{s}", plain),
        ("{s%}", percent(value)),
        ("{s/}", value.replace('/', "\\/")),
        ("{s\\}", value.replace('\n', "\\n")),
        ("{s|}", wrapped(value, "\n    ")),
        ("{s>}", value.replace('\n', "\n> ")),
        ("{s+}", value.replace('\n', "\n+    ")),
    ];
    let mut text = named(template, name);
    let mut used = vec![value.to_owned()];
    for (mark, spelling) in spellings {
        if text.contains(mark) {
            text = text.replace(mark, &spelling);
            used.push(spelling);
        }
    }
    Case { context, text, spellings: used }
}

fn named(template: &str, name: &str) -> String {
    let words: Vec<&str> = name.split(' ').collect();
    let camel = words.iter().enumerate().map(|(index, word)| match index {
        0 => (*word).to_owned(),
        _ => word[..1].to_uppercase() + &word[1..],
    });
    template
        .replace("{n w}", name)
        .replace("{n s}", &words.join("_"))
        .replace("{n k}", &words.join("-"))
        .replace("{n U}", &words.join("_").to_uppercase())
        .replace("{n c}", &camel.collect::<String>())
}

/// As the encoders that escape for HTML write a string.
fn json_spelling(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('&', "\\u0026")
}

fn percent(value: &str) -> String {
    let spell = |byte: u8| match byte {
        // Already spelled for a URL.
        b'%' => "%".to_owned(),
        b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    value.bytes().map(spell).collect()
}

/// Longer values are folded, as mail programs and YAML do.
const FOLD: usize = 72;

fn wrapped(value: &str, line_break: &str) -> String {
    let fold = |line: &str| -> String {
        let bytes: Vec<String> = line
            .as_bytes()
            .chunks(FOLD)
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .collect();
        bytes.join(line_break)
    };
    value.lines().map(fold).collect::<Vec<_>>().join(line_break)
}
