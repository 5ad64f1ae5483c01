//! Which store, which policy, which project? Settings and flags become an engine.

use std::path::PathBuf;

use hardwon_core::gate::Gate;
use hardwon_core::ids::ProjectId;
use hardwon_core::policy::Policy;
use hardwon_core::project::Resolution;
use hardwon_core::reflect::ReflectionPolicy;
use hardwon_store::files::Place;
use hardwon_store::{MemoryStore, PostgresStore, SqliteStore, Store};

pub use hardwon_store::Access;

use crate::identity::{FolderSeen, Identity};
use crate::layout::{ForeignLayout, ForeignPlace, OpenRequest};
use crate::local;
use crate::memory::{Call, EngineError, Memory, OpenMemory, Result};
use crate::place::Environment;
use crate::policy;
use crate::settings::{Origin as SetBy, Override, Setting, Settings};
use crate::stream::Stream;

/// Where messages and sessions wait, in the data folder.
pub(crate) const QUEUE: &str = "queue";

/// What stood on a face's command line, and which other systems' files it can open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub store: Option<String>,
    pub project: Option<String>,
    pub policy: Option<String>,
    /// Passed in by the face that knows them.
    pub foreign: &'static [&'static dyn ForeignLayout],
}

/// What an open memory depends on: another file in one of these places, or other settings, and it
/// has to be opened anew. SQLite's own writes are no such change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    pub settings: Vec<PathBuf>,
    pub store: Option<PathBuf>,
    /// Files of others, who write them without our knowing.
    pub is_foreign: bool,
}

impl Options {
    /// The settings these flags and the environment come to.
    pub fn settings(&self, environment: &Environment) -> Settings {
        let store = self.store.clone().map(|value| ("store", value, "--store"));
        let policy = self.policy.clone().map(|value| ("policy", value, "--policy"));
        let flags: Vec<Override> = store.into_iter().chain(policy).collect();
        let mut settings = Settings::resolve(environment, &flags);
        if let Ok(StorePlace::Foreign(_, place)) = self.store_place(&settings, environment)
            && let Some(theirs) = place.settings()
        {
            settings.take_foreign(theirs);
        }
        settings
    }

    /// Where memory lives.
    pub(crate) fn store_place(
        &self,
        settings: &Settings,
        environment: &Environment,
    ) -> Result<StorePlace> {
        let url = settings.get("store").map_or("sqlite:", |s| s.value.as_str());
        StorePlace::parse(url, environment, self.foreign)
    }

    /// A store of ours that somebody names by its URL, beside the one that settings name.
    pub(crate) fn named_store(
        &self,
        url: &str,
        environment: &Environment,
        access: Access,
    ) -> Result<Box<dyn Store>> {
        match StorePlace::parse(url, environment, self.foreign)? {
            StorePlace::Sqlite(path) => Ok(Box::new(SqliteStore::open(&path, access)?)),
            StorePlace::Postgres(url) => Ok(Box::new(PostgresStore::open(&url, access)?)),
            StorePlace::Memory | StorePlace::Foreign(..) => {
                let reason = "only files and servers of hardwon are copied; for those of others \
                              there are `hardwon import` and `hardwon export`";
                Err(EngineError::StoreUrl { url: url.to_owned(), reason: reason.to_owned() })
            }
        }
    }

    /// Files that an open memory depends on. Those that are not there yet are named, too.
    pub fn watched(&self, environment: &Environment) -> Watched {
        let (store, is_foreign) = match self.store_place(&self.settings(environment), environment) {
            Ok(StorePlace::Sqlite(path)) => (Some(path), false),
            Ok(StorePlace::Foreign(_, place)) => (Some(place.files().to_owned()), true),
            Ok(StorePlace::Postgres(_) | StorePlace::Memory) | Err(_) => (None, false),
        };
        let settings =
            [environment.settings_file().ok(), Some(environment.project_settings_file())];
        Watched { settings: settings.into_iter().flatten().collect(), store, is_foreign }
    }

    /// Where anything waits: messages and sessions, and injections into this store.
    pub(crate) fn queue_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        let store = match self.store_place(&self.settings(environment), environment) {
            Ok(StorePlace::Sqlite(path)) => Some(SqliteStore::queue_folder(path)),
            Ok(_) | Err(_) => None,
        };
        environment.data_folder().map(|data| data.join(QUEUE)).into_iter().chain(store).collect()
    }
}

impl OpenMemory {
    /// Opens the memory that settings and flags name. Opening writes nothing; a store
    /// that does not exist yet reads as empty and is made by the first write.
    pub fn open(
        environment: &Environment,
        options: &Options,
        access: Access,
    ) -> Result<OpenMemory> {
        OpenMemory::open_with(options.settings(environment), environment, options, access)
    }

    /// The same with settings that are resolved already: on the hot path once is enough.
    pub fn open_with(
        settings: Settings,
        environment: &Environment,
        options: &Options,
        access: Access,
    ) -> Result<OpenMemory> {
        if access == Access::Write {
            refuse_without_rules(&settings)?;
        }
        let place = options.store_place(&settings, environment)?;
        let layout = place.layout();
        let mut policy = policy::load(&policy_name(&settings, layout))?;
        apply_to_policy(&settings, &mut policy);
        // Others read those files, too.
        policy.reflection.takes_wishes &= layout.is_none();
        let gate = layout.map_or_else(Gate::standard, |layout| layout.gate());
        let gate = gate.redacting(settings.wishes());
        let named = match layout {
            // A foreign folder is one project, wherever it lies.
            Some(layout) => Some(layout.project()),
            None => named(&gate, environment, options)?,
        };
        let now = environment.now()?;
        let mut settings = settings;
        // A memory that is thrown away has no listeners.
        let is_kept = !matches!(place, StorePlace::Memory);
        let events = Stream::of(environment).filter(|_| is_kept);
        let store: Box<dyn Store> = match place {
            StorePlace::Sqlite(path) => Box::new(SqliteStore::open(&path, access)?),
            StorePlace::Postgres(url) => {
                let (store, problem) = local::open(environment, &settings, &url, access)?;
                settings.problems.extend(problem);
                store
            }
            StorePlace::Memory => Box::new(MemoryStore::new()),
            StorePlace::Foreign(_, place) => {
                let gate = Gate::standard().redacting(settings.wishes());
                // Files of others have no cheaper way to record.
                let access = if access == Access::Read { access } else { Access::Write };
                let store =
                    place.open(OpenRequest { gate, access, policy: policy.clone(), now })?;
                settings.problems.extend_from_slice(store.problems());
                store
            }
        };
        let actor = gate.word(&environment.actor()).unwrap_or_else(|| "user".to_owned());
        let (speaker, seat) = (environment.speaker.clone(), environment.seat.clone());
        let (project, identity) = match named {
            Some(project) => (project, Identity::named()),
            None => resolved(FolderSeen::look(environment, &gate)?, store.as_ref())?,
        };
        let call = Call { project, now, actor, speaker, seat, if_match: None, identity };
        let memory = Memory { gate, settings, events, ..Memory::with_store(store, policy) };
        Ok(OpenMemory { memory, call })
    }
}

/// What the user wants redacted stands in a file that cannot be read: nothing is written
/// down before it can.
pub(crate) fn refuse_without_rules(settings: &Settings) -> Result<()> {
    match &settings.broken {
        Some((path, reason)) => {
            Err(EngineError::SettingsFile { path: path.clone(), reason: reason.clone() })
        }
        None => Ok(()),
    }
}

fn apply_to_reflection(settings: &Settings, policy: &mut ReflectionPolicy) {
    let switches = [
        ("reflect.enabled", &mut policy.is_enabled),
        ("reflect.on_success", &mut policy.on_success),
        ("reflect.on_failure", &mut policy.on_failure),
        ("reflect.on_healer", &mut policy.on_healer),
    ];
    for (key, switch) in switches {
        *switch = settings.switch(key).unwrap_or(*switch);
    }
    if let Some(max) = settings.count("reflect.max_lessons") {
        policy.max_lessons = max as usize;
    }
    let least = settings.get("reflect.min_importance").and_then(|set| set.value.parse().ok());
    policy.min_importance = least.unwrap_or(policy.min_importance);
}

/// Settings that overrule numbers of the policy.
pub(crate) fn apply_to_policy(settings: &Settings, policy: &mut Policy) {
    apply_to_reflection(settings, &mut policy.reflection);
    if let Some(profile) = settings.get("geas.profile") {
        policy.routing.profile.clone_from(&profile.value);
    }
    let limits = &mut policy.notes.limits;
    let counts = [("notes_lines", &mut limits.own_lines), ("notes_bytes", &mut limits.own_bytes)];
    for (key, limit) in counts {
        *limit = settings.count(key).map_or(*limit, |count| count as usize);
    }
    if let Some(tokens) = settings.count("budget") {
        policy.budget.tokens = tokens;
        // A budget that is set holds for every role that has none of its own.
        policy.budget.tokens_by_role.clear();
    }
    if let Some(max) = settings.count("max_lessons") {
        policy.budget.max_lessons = max;
        policy.budget.lessons_by_role.clear();
    }
    for setting in settings.all() {
        let role = setting.key.strip_prefix("budget_by_role.");
        if let (Some(role), Ok(tokens)) = (role, setting.value.parse()) {
            policy.budget.tokens_by_role.insert(role.to_owned(), tokens);
        }
    }
}

/// A policy with what the user set: for those who judge files and open no memory.
pub fn policy_in_force(environment: &Environment, name: &str) -> Result<Policy> {
    let mut policy = policy::load(name)?;
    apply_to_policy(&Options::default().settings(environment), &mut policy);
    Ok(policy)
}

/// Where memory lives.
pub(crate) enum StorePlace {
    Sqlite(PathBuf),
    /// The URL of a server, maybe with a password: never to be printed.
    Postgres(String),
    Memory,
    /// Another system's files.
    Foreign(&'static dyn ForeignLayout, Box<dyn ForeignPlace>),
}

impl StorePlace {
    /// How another system keeps it, if it is another one's.
    fn layout(&self) -> Option<&'static dyn ForeignLayout> {
        match self {
            StorePlace::Foreign(layout, _) => Some(*layout),
            StorePlace::Sqlite(_) | StorePlace::Postgres(_) | StorePlace::Memory => None,
        }
    }

    fn parse(
        url: &str,
        environment: &Environment,
        foreign: &[&'static dyn ForeignLayout],
    ) -> Result<Self> {
        match url.split_once(':') {
            Some(("sqlite", "")) => {
                Ok(StorePlace::Sqlite(environment.data_folder()?.join("memory.db")))
            }
            Some(("sqlite", path)) => {
                let path = environment.folder.join(path);
                Place::check_named_in(environment.checkout(), &path).map_err(|error| {
                    EngineError::StoreUrl { url: url.to_owned(), reason: error.to_string() }
                })?;
                Ok(StorePlace::Sqlite(path))
            }
            Some(("memory", "")) => Ok(StorePlace::Memory),
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                Ok(StorePlace::Postgres(url.to_owned()))
            }
            scheme => {
                let word = scheme.map_or(url, |(word, _)| word);
                let layout = foreign.iter().find(|layout| layout.word() == word);
                let folder = scheme.map(|(_, folder)| environment.folder.join(folder));
                let (Some(layout), Some(folder)) = (layout, folder) else {
                    return Err(unknown_url(url, foreign));
                };
                let place = layout.place(&folder, &environment.homes());
                Ok(StorePlace::Foreign(*layout, place))
            }
        }
    }
}

fn unknown_url(url: &str, foreign: &[&'static dyn ForeignLayout]) -> EngineError {
    let mut known = vec!["sqlite:PATH".to_owned(), "postgres://SERVER/DATABASE".to_owned()];
    known.extend(foreign.iter().map(|layout| format!("{}:FOLDER", layout.word())));
    let last = known.pop().unwrap_or_default();
    let reason = format!("not a store this program knows; use {} or {last}", known.join(", "));
    EngineError::StoreUrl { url: url.to_owned(), reason }
}

/// The system in whose files memory lies, if they are another one's.
pub(crate) fn foreign_system(settings: &Settings) -> Option<&str> {
    let (scheme, _) = settings.get("store")?.value.split_once(':')?;
    (!["sqlite", "postgres", "postgresql", "memory"].contains(&scheme)).then_some(scheme)
}

/// A foreign store is run by its own system's rules, unless the settings say otherwise.
fn policy_name(settings: &Settings, layout: Option<&dyn ForeignLayout>) -> String {
    let is_set = |setting: &&Setting| setting.origin != SetBy::Default;
    let set = settings.get("policy").filter(is_set).map(|setting| setting.value.clone());
    set.unwrap_or_else(|| layout.map_or("hardwon", |layout| layout.policy()).to_owned())
}

/// The project that the user named. It keeps its name as its id.
fn named(gate: &Gate, environment: &Environment, options: &Options) -> Result<Option<ProjectId>> {
    match options.project.as_deref().or(environment.project.as_deref()) {
        Some(name) if name.trim().is_empty() => Err(EngineError::Setting {
            key: "project".into(),
            reason: "a project needs a name".into(),
        }),
        name => Ok(name.map(|name| ProjectId::new(&gate.identity(name)))),
    }
}

/// The project that the folder belongs to in which the command was called.
fn resolved(seen: FolderSeen, store: &dyn Store) -> Result<(ProjectId, Identity)> {
    let Resolution { project, reason } = seen.resolve(store)?;
    let is_pending = seen.needs_joining(&reason);
    Ok((project, Identity { reason, seen: Some(seen), is_pending }))
}
