//! What was set, where, and what does it come to? Step one reads layers as they were
//! written; step two resolves each key to a value with its origin. A project file can
//! never set what would let a checkout choose where memory lives or what it trusts.

pub mod proposed;

use std::io::ErrorKind::{NotADirectory, NotFound};
use std::path::{Path, PathBuf};

use hardwon_core::consult::money::{Price, micro};
use hardwon_core::event::Problem;
use hardwon_core::gate::redact::{self, UserRules};
use hardwon_render::block::Style;
use hardwon_store::files::{self, Mode, NewFile, Place};

use crate::error::{EngineError, Result};
use crate::layout::ForeignSettings;
use crate::place::Environment;

/// The default values, as a settings file.
const DEFAULTS: &str = include_str!("../defaults.toml");

const NO_SUCH_SETTING: &str = "there is no such setting; `hardwon config keys` lists them";

const RULES: &str = "redact.rules.";

/// A settings file larger than this is not one.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 20;

/// What a key may hold.
#[derive(Clone, Copy, Debug)]
pub enum Holds {
    Text,
    Count,
    /// One of a closed list.
    OneOf(fn() -> Vec<&'static str>),
    /// What a check of key and value lets through.
    Checked(fn(&str, &str) -> Result<(), String>),
}

/// Who may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetBy {
    /// A file that came with a checkout, too.
    Anybody,
    /// The user's file or environment.
    User,
    /// The user's file alone: a host or a checkout may choose what stands in the environment.
    UserFile,
}

/// One setting that exists.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Dotted name; a last part `*` stands for any word.
    pub name: &'static str,
    pub holds: Holds,
    pub set_by: SetBy,
    pub help: &'static str,
}

/// Every setting.
pub const KEYS: &[Key] = &[
    user_only(
        "store",
        Holds::Text,
        "where memory lives: sqlite:PATH, postgres://SERVER/DATABASE, or the FOLDER of \
         archeflow:, openagents:, geas: or jkz:",
    ),
    anywhere(
        "policy",
        Holds::OneOf(crate::policy::names),
        "the rules that decide; see `hardwon config policy list`",
    ),
    anywhere(
        "style",
        Holds::OneOf(|| Style::ALL.iter().map(|style| style.word()).collect()),
        "shape of the block: hardwon, archeflow, archivist, jkz or packet",
    ),
    anywhere("budget", Holds::Count, "tokens of a block; the policy decides when unset"),
    anywhere("budget_by_role.*", Holds::Count, "tokens of a block for one role"),
    anywhere("max_lessons", Holds::Count, "most lessons in a block; the policy decides when unset"),
    user_only(
        "deadline_ms",
        Holds::Count,
        "milliseconds after which `inject` gives up; 2000 when unset",
    ),
    user_only("versions", Holds::Count, "versions of a lesson to go back to; 10 when unset"),
    user_only("worker", SWITCH, "off = hooks start no process that learns from ended sessions"),
    anywhere(
        "geas.profile",
        Holds::OneOf(|| vec!["software", "research"]),
        "who fills geas's slots of reviewers; software when unset",
    ),
    user_only("notes", SWITCH, "off = agents are shown no notes, and `hardwon jkz` looks at none"),
    user_only("notes_lines", Holds::Count, "most lines of MEMORY.md that are ours; 20 when unset"),
    user_only("notes_bytes", Holds::Count, "most bytes of them; 2000 when unset"),
    user_only("copy", SWITCH, "off = no copy of a server's memory is kept for when it is away"),
    user_only("backup", SWITCH, "off = no copy of the store is made each day; three are kept"),
    user_only(
        "team",
        Holds::OneOf(|| vec!["off", "on"]),
        "on = a lesson becomes stable or canonical only with a review by its authority",
    ),
    user_only(
        "authority.*",
        Holds::Text,
        "who decides as this authority in a team: names, separated by commas",
    ),
    user_only(
        "deliberations.max_mb",
        Holds::Count,
        "megabytes of agents' answers that a project keeps; 200 when unset",
    ),
    file_only(
        "embed_command",
        Holds::Text,
        "command that gives each text of a JSON list a vector, for searches; none = by words only",
    ),
    anywhere(
        "holdout",
        SWITCH,
        "on = lessons are now and then held out by chance; unset: only in pipelines and teams",
    ),
    user_only(
        "redact.rules.*",
        Holds::Checked(check_rule),
        "a pattern that is redacted as well, such as corp_[A-Za-z0-9]{20,}",
    ),
    user_only(
        "redact.allow",
        Holds::Checked(check_allow),
        "texts that redaction leaves alone, separated by commas; * stands for anything",
    ),
    anywhere(
        "reflect.enabled",
        SWITCH,
        "off = runs are not reflected on; the policy decides when unset",
    ),
    anywhere("reflect.on_success", SWITCH, "whether a run that succeeded is reflected upon"),
    anywhere("reflect.on_failure", SWITCH, "whether a run that failed is reflected upon"),
    anywhere("reflect.on_healer", SWITCH, "whether a healer's run is reflected upon"),
    user_only(
        "reflect.digest_tokens",
        Holds::Count,
        "most tokens of a session's digest, for the model that reads it; 8000 when unset",
    ),
    anywhere("reflect.max_lessons", Holds::Count, "most lessons of one reflection; 5 when unset"),
    anywhere(
        "reflect.min_importance",
        Holds::Checked(check_share),
        "importance below which a lesson is dropped, 0 to 1; 0.3 when unset",
    ),
    anywhere(
        "reflect.progress_file",
        Holds::Text,
        "the file in which a project notes its progress; written only if your own file sets it",
    ),
    anywhere(
        "reflect.append_lessons",
        SWITCH,
        "on = lessons learned are noted in the progress file, between marks",
    ),
    file_only(
        "reflect.backend",
        Holds::OneOf(|| BACKENDS.to_vec()),
        "who looks back on runs besides fixed patterns; heuristic = no model is ever asked",
    ),
    file_only(
        "reflect.model",
        Holds::Text,
        "the model that is asked; the backend's usual one when unset",
    ),
    file_only(
        "reflect.base_url",
        Holds::Text,
        "where it is asked: https, or http on this machine; the provider's own when unset",
    ),
    file_only(
        "reflect.key_env",
        Holds::Text,
        "name of the variable that holds the key; ANTHROPIC_API_KEY or OPENAI_API_KEY when unset",
    ),
    file_only(
        "read_url",
        Holds::Text,
        "a standby of the server that `store` names: what is only read is asked there",
    ),
    file_only("share.url", Holds::Text, "the server of a team, for `hardwon share`: https"),
    file_only("share.token_file", Holds::Text, "file with your token there, for you alone to read"),
    file_only("share.project", Holds::Text, "the project there; that of the server when unset"),
    file_only(
        "share.trust",
        SWITCH,
        "whether what the team approved is shown without your review; off when unset",
    ),
    file_only("reflect.key_command", Holds::Text, "command that prints the key, instead"),
    file_only(
        "reflect.max_usd_run",
        Holds::Checked(check_dollars),
        "most dollars for questions about one run; 0.05 when unset",
    ),
    file_only(
        "reflect.max_usd_day",
        Holds::Checked(check_dollars),
        "most dollars a day, of UTC; 0.50 when unset",
    ),
    file_only(
        "reflect.max_usd_month",
        Holds::Checked(check_dollars),
        "most dollars a month; 5 when unset",
    ),
    file_only(
        "reflect.max_tokens_run",
        Holds::Count,
        "most tokens for questions about one run; 50000 when unset",
    ),
    file_only(
        "reflect.usd_per_mtok",
        Holds::Checked(check_price),
        "IN/OUT, dollars for a million tokens, where the list of prices is wrong or silent",
    ),
];

/// What `reflect.backend` can be.
pub const BACKENDS: &[&str] =
    &["heuristic", "anthropic", "openai", "claude-cli", "codex-cli", "host"];

const SWITCH: Holds = Holds::OneOf(|| vec!["on", "off"]);

/// A setting that a file of a checkout may set, too.
const fn anywhere(name: &'static str, holds: Holds, help: &'static str) -> Key {
    Key { name, holds, set_by: SetBy::Anybody, help }
}

/// A setting that only the user may set.
const fn user_only(name: &'static str, holds: Holds, help: &'static str) -> Key {
    Key { name, holds, set_by: SetBy::User, help }
}

/// A setting about money and where it goes.
const fn file_only(name: &'static str, holds: Holds, help: &'static str) -> Key {
    Key { name, holds, set_by: SetBy::UserFile, help }
}

/// Whether a setting is a rule that can be used.
fn check_rule(key: &str, pattern: &str) -> Result<(), String> {
    let name = key.strip_prefix(RULES).unwrap_or(key);
    redact::check_rule(name, pattern).map_err(|flaw| flaw.to_string())
}

/// Whether a setting is a list of allowed texts.
fn check_allow(_: &str, list: &str) -> Result<(), String> {
    redact::check_allow(list).map_err(|flaw| flaw.to_string())
}

fn check_share(_: &str, value: &str) -> Result<(), String> {
    match value.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(()),
        _ => Err(format!("{value} is not a number from 0 to 1")),
    }
}

fn check_dollars(_: &str, value: &str) -> Result<(), String> {
    micro(value).map(drop).ok_or_else(|| format!("{value} is not a sum in dollars, such as 0.5"))
}

fn check_price(_: &str, value: &str) -> Result<(), String> {
    let fits = Price::parse(value).map(drop);
    fits.ok_or_else(|| format!("{value} is not IN/OUT in dollars, such as 0.25/2"))
}

/// Finds the description of a key.
pub fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| match key.name.strip_suffix('*') {
        Some(prefix) => name.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()),
        None => key.name == name,
    })
}

/// One value with where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub key: String,
    pub value: String,
    pub origin: Origin,
}

/// Where a value came from, weakest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Origin {
    #[error("default")]
    Default,
    #[error("user file {}", .0.display())]
    User(PathBuf),
    #[error("project file {}", .0.display())]
    Project(PathBuf),
    #[error("environment {0}")]
    Environment(String),
    #[error("flag {0}")]
    Flag(String),
}

/// Resolved settings.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Sorted by key.
    values: Vec<Setting>,
    /// What was ignored, and why.
    pub problems: Vec<Problem>,
    /// The user's own file, if it is there and cannot be used, and why.
    pub broken: Option<(PathBuf, String)>,
    /// Variables that look like settings and are none; they may belong to others.
    pub unknown: Vec<String>,
}

/// A flag that overrides a setting: key, value, the flag's spelling.
pub type Override = (&'static str, String, &'static str);

impl Settings {
    /// Reads all layers and resolves them. A file that cannot be read or parsed, or a
    /// key that may not stand there, is a problem, not a failure: memory works with
    /// the other layers.
    pub fn resolve(environment: &Environment, flags: &[Override]) -> Settings {
        let mut settings = Settings::default();
        settings.take_text(DEFAULTS, Origin::Default);
        if let Ok(path) = environment.settings_file() {
            settings.take_file(&path, Origin::User);
        }
        settings.take_file(&environment.project_settings_file(), Origin::Project);
        if let Some(store) = &environment.store {
            settings.set("store", store, Origin::Environment("HARDWON_STORE".into()));
        }
        for (setting, value) in &environment.settings {
            let name = format!("HARDWON_{}", setting.to_ascii_uppercase());
            match key(setting) {
                Some(_) => settings.set(setting, value, Origin::Environment(name)),
                None => settings.unknown.push(name),
            }
        }
        for (key, value, flag) in flags {
            settings.set(key, value, Origin::Flag((*flag).to_owned()));
        }
        settings
    }

    /// Every resolved value, by key.
    pub fn all(&self) -> &[Setting] {
        &self.values
    }

    /// The value of a key, if anything set it.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.values.iter().find(|setting| setting.key == key)
    }

    /// Whether a team reviews lessons before they rise.
    pub fn is_team(&self) -> bool {
        self.get("team").is_some_and(|setting| setting.value == "on")
    }

    /// A count, if it is set; other values were already refused.
    pub fn count(&self, key: &str) -> Option<u32> {
        self.get(key).and_then(|setting| setting.value.parse().ok())
    }

    /// Whether a switch is on, if anything set it.
    pub fn switch(&self, key: &str) -> Option<bool> {
        self.get(key).map(|setting| setting.value == "on")
    }

    /// What the user wants redacted as well, or left alone; what is unusable was reported when the
    /// settings were read. Only the user's own settings have a say: a file that came with a checkout
    /// could otherwise switch redaction off.
    pub fn wishes(&self) -> UserRules {
        let rule = |set: &Setting| {
            set.key.strip_prefix(RULES).map(|name| (name.to_owned(), set.value.clone()))
        };
        let allow = self.get("redact.allow").map(|set| set.value.clone()).unwrap_or_default();
        UserRules { rules: self.values.iter().filter_map(rule).collect(), allow }
    }

    fn take_file(&mut self, path: &Path, origin: impl Fn(PathBuf) -> Origin) {
        match read_file(&Place::own(path)) {
            Ok(None) => {}
            Ok(Some(text)) => self.take_text(&text, origin(path.to_owned())),
            Err(reason) => self.cannot_read(&origin(path.to_owned()), reason),
        }
    }

    /// What a file of the system says in whose folder memory lives: like the project's own file,
    /// which goes before it, and below the environment and flags.
    pub(crate) fn take_foreign(&mut self, theirs: ForeignSettings) {
        let ForeignSettings { path, values, problems } = theirs;
        let origin = Origin::Project(path);
        self.problems.extend(problems.into_iter().map(|reason| Problem::new(&origin, reason)));
        for (key, value) in values {
            let set = self.get(key).map(|setting| &setting.origin);
            if matches!(set, None | Some(Origin::Default | Origin::User(_))) {
                self.set(key, &value, origin.clone());
            }
        }
    }

    /// A file that cannot be used. The user's own may hold rules of redaction.
    fn cannot_read(&mut self, origin: &Origin, reason: String) {
        if let Origin::User(path) = origin {
            self.broken = Some((path.clone(), reason.clone()));
        }
        self.problems.push(Problem::new(origin, reason));
    }

    fn take_text(&mut self, text: &str, origin: Origin) {
        let table: toml::Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                let error: toml::de::Error = error;
                self.cannot_read(&origin, error.message().to_owned());
                return;
            }
        };
        for (key, value) in flat(&table) {
            self.set(&key, &value, origin.clone());
        }
    }

    fn set(&mut self, name: &str, value: &str, origin: Origin) {
        if let Err(reason) = allowed(name, value, &origin) {
            self.problems.push(Problem::new(&origin, format!("{name}: {reason}")));
            return;
        }
        let setting = Setting { key: name.to_owned(), value: value.to_owned(), origin };
        match self.values.binary_search_by(|known| known.key.as_str().cmp(name)) {
            Ok(index) => self.values[index] = setting,
            Err(index) => self.values.insert(index, setting),
        }
    }
}

fn allowed(name: &str, value: &str, origin: &Origin) -> Result<(), String> {
    let key = key(name).ok_or(NO_SUCH_SETTING)?;
    match origin {
        Origin::Project(_) if key.set_by != SetBy::Anybody => {
            Err("a project file cannot set this; ignored".to_owned())
        }
        Origin::Environment(_) if key.set_by == SetBy::UserFile => {
            Err("only your settings file can set this; ignored".to_owned())
        }
        // A wrong flag is an error: the use case refuses it.
        Origin::Flag(_) => Ok(()),
        _ => fits(key, name, value).map_err(|reason| format!("{reason}; ignored")),
    }
}

/// Whether a value is one that the key can hold.
fn fits(key: &Key, name: &str, value: &str) -> Result<(), String> {
    match key.holds {
        Holds::Text => Ok(()),
        Holds::Checked(check) => check(name, value),
        Holds::Count if value.parse::<u32>().is_ok() => Ok(()),
        Holds::Count => Err(format!("{value} is not a whole number")),
        Holds::OneOf(words) if words().contains(&value) => Ok(()),
        Holds::OneOf(words) => Err(format!("{value} is not one of {}", words().join(", "))),
    }
}

fn read_file(place: &Place) -> Result<Option<String>, String> {
    match files::read(place, MAX_FILE_BYTES) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| "not UTF-8 text".to_owned()),
        // A home that is not a folder has no settings; opening the store reports it.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

fn flat(table: &toml::Table) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => {
                out.extend(flat(inner).into_iter().map(|(k, v)| (format!("{key}.{k}"), v)));
            }
            toml::Value::String(text) => out.push((key.clone(), text.clone())),
            other => out.push((key.clone(), other.to_string())),
        }
    }
    out
}

/// Writes one setting into a file, keeping its comments and order; `None` removes it.
pub fn write(place: &Place, name: &str, value: Option<&str>) -> Result<()> {
    let path = place.path();
    let refuse = |reason: String| EngineError::SettingsFile { path: path.to_owned(), reason };
    let wrong = |reason: String| EngineError::Setting { key: name.to_owned(), reason };
    let key = key(name).ok_or_else(|| wrong(NO_SUCH_SETTING.to_owned()))?;
    value.map_or(Ok(()), |value| fits(key, name, value)).map_err(wrong)?;
    let text = read_file(place).map_err(refuse)?.unwrap_or_default();
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| refuse(error.message().to_owned()))?;
    let mut parts = name.splitn(key.name.split('.').count(), '.').collect::<Vec<_>>();
    let leaf = parts.pop().unwrap_or(name);
    let mut table = document.as_table_mut();
    for part in parts {
        let entry = table.entry(part).or_insert_with(inner_table);
        table = entry.as_table_mut().ok_or_else(|| refuse(format!("{part} is not a table")))?;
    }
    match value {
        Some(value) => put(table, leaf, typed(key, value)),
        None => drop(table.remove(leaf)),
    }
    save(place, &document.to_string()).map_err(|error| refuse(error.to_string()))
}

/// A table without a heading of its own until it holds a value.
fn inner_table() -> toml_edit::Item {
    let mut table = toml_edit::Table::new();
    table.set_implicit(true);
    toml_edit::Item::Table(table)
}

/// Sets a value and keeps the comment that stands behind it.
fn put(table: &mut toml_edit::Table, leaf: &str, mut value: toml_edit::Value) {
    if let Some(old) = table.get(leaf).and_then(toml_edit::Item::as_value) {
        *value.decor_mut() = old.decor().clone();
    }
    table[leaf] = toml_edit::value(value);
}

/// A value that was found to fit, as TOML has it.
fn typed(key: &Key, value: &str) -> toml_edit::Value {
    match (key.holds, value.parse::<u32>()) {
        (Holds::Count, Ok(count)) => i64::from(count).into(),
        _ => value.into(),
    }
}

/// Replaces the file whole: a reader sees the old or the new one. What is not part of a
/// checkout is for the user alone.
pub(crate) fn save(place: impl Into<Place>, text: &str) -> std::io::Result<()> {
    let place = place.into();
    let mode = if place.is_own() { Mode::PRIVATE } else { Mode::Kept(0o666) };
    NewFile::write_with_folder(place, text.as_bytes(), mode)?.place()
}
