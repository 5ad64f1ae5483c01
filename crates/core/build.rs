//! Packs the tables under `data/` whose rows have fields into Rust source, so that no process
//! parses them: read at run time they took 90 µs of the first text. A row that cannot be read
//! does not build; names of variants stand in the tables as they are in the code.
//!
//! Plain lists need none of this: see `src/lists.rs`.

// The rules about I/O are about the library, not about what builds it.
#![allow(clippy::disallowed_methods)]

use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=data");
    let folder = env::var("OUT_DIR").expect("Cargo sets it");
    let pack = |name: &str, file: &str, section: &str, to_rust: fn(&str) -> String| {
        let text = fs::read_to_string(format!("data/{file}")).expect("the table is there");
        let rows: String = rows(&text, section).map(|row| to_rust(row) + ",\n").collect();
        fs::write(format!("{folder}/{name}.rs"), format!("&[\n{rows}]")).expect("OUT_DIR is ours");
    };
    pack("shapes", "secret_shapes.txt", "", shape);
    pack("programs", "secret_arguments.txt", "", program);
    pack("name_ends", "secrets.txt", "[name ends]", name);
    pack("whole_names", "secrets.txt", "[whole names]", name);
}

/// The rows of a section; "" is what stands before the first.
fn rows<'a>(text: &'a str, section: &str) -> impl Iterator<Item = &'a str> {
    let start = text.find(section).expect("the section is there") + section.len();
    let rows = text[start..].lines().skip(1).take_while(|row| !row.starts_with('['));
    rows.filter(|row| !row.is_empty() && !row.starts_with('#'))
}

/// `family  lead  Hex{8,10}  text  +Random`
fn shape(row: &str) -> String {
    let mut fields = row.split("  ").skip(1).peekable();
    let lead = fields.next_if(|field| run(field).is_none()).unwrap_or_default();
    let family = row.split("  ").next();
    let (mut parts, mut look) = (String::new(), "Varied");
    let (mut is_anywhere, mut keeps_lead) = (false, false);
    for field in fields {
        match (field.strip_prefix('+'), run(field)) {
            (Some("anywhere"), _) => is_anywhere = true,
            (Some("keep-lead"), _) => keeps_lead = true,
            (Some(other), _) => look = other,
            (None, Some(run)) => parts += &format!("Part::Run({run}), "),
            (None, None) => parts += &format!("Part::Literal({field:?}), "),
        }
    }
    format!(
        "Shape {{ family: {family:?}, lead: {lead:?}, parts: &[{parts}], look: Look::{look}, \
         is_anywhere: {is_anywhere}, keeps_lead: {keeps_lead} }}",
        family = family.expect("a row has fields"),
    )
}

/// `Hex{32}`, `Hex{8,10}`, `Hex{32,}`
fn run(field: &str) -> Option<String> {
    let (set, bounds) = field.strip_suffix('}')?.split_once('{')?;
    let (min, max) = bounds.split_once(',').unwrap_or((bounds, bounds));
    let max = if max.is_empty() { "OPEN_END" } else { max };
    Some(format!("Run {{ set: Set::{set}, min: {min}, max: {max} }}"))
}

/// `name,name  +wordy  +Pairs  -p Either : @login`
fn program(row: &str) -> String {
    let mut fields = row.split("  ");
    let names: Vec<&str> = fields.next().expect("a row has fields").split(',').collect();
    let (mut flags, mut rest, mut most_words) = (String::new(), "Nothing", 2);
    for field in fields {
        match field.strip_prefix('+') {
            Some("wordy") => most_words = 4,
            Some(other) => rest = other,
            None => flags += &flag(field),
        }
    }
    format!(
        "Program {{ names: &{names:?}, flags: &[{flags}], rest: Rest::{rest}, \
         most_words: {most_words} }}"
    )
}

fn flag(field: &str) -> String {
    let mut words = field.split(' ');
    let (name, place) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut part, mut after) = ("All".to_owned(), None);
    for word in words {
        match word {
            ":" | "%" => part = format!("Behind(b'{word}')"),
            _ if word.starts_with('@') => after = Some(&word[1..]),
            _ => part = word.to_owned(),
        }
    }
    format!(
        "Flag {{ name: {name:?}, place: Place::{place}, part: Part::{part}, after: {after:?} }}, "
    )
}

/// `name family Need`
fn name(row: &str) -> String {
    let fields: Vec<&str> = row.split(' ').collect();
    let [name, family, need] = fields[..] else { panic!("not three fields: {row}") };
    format!("Row {{ name: {name:?}, key: Key {{ family: {family:?}, need: Need::{need} }} }}")
}
