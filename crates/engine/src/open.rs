//! Which store, which policy, which project? Settings and flags become an engine.

use std::path::PathBuf;

use hardwon_core::digest::{hex, sha256};
use hardwon_core::gate::Gate;
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Origin;
use hardwon_store::{MemoryStore, SqliteStore, Store};

pub use hardwon_store::Access;

use crate::error::EngineError;
use crate::place::Environment;
use crate::settings::{Override, Settings};
use crate::{Engine, policy};

/// What a face was told on its command line.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--store`.
    pub store: Option<String>,
    /// `--project`.
    pub project: Option<String>,
    /// `--policy`.
    pub policy: Option<String>,
}

impl Options {
    fn overrides(&self) -> Vec<Override> {
        let store = self.store.clone().map(|value| ("store", value, "--store"));
        let policy = self.policy.clone().map(|value| ("policy", value, "--policy"));
        store.into_iter().chain(policy).collect()
    }

    /// The settings these flags and the environment come to.
    pub fn settings(&self, environment: &Environment) -> Settings {
        Settings::resolve(environment, &self.overrides())
    }
}

impl Engine {
    /// Opens the memory that settings and flags name. Opening writes nothing; a store
    /// that does not exist yet reads as empty and is made by the first write.
    pub fn open(
        environment: &Environment,
        options: &Options,
        access: Access,
    ) -> Result<Engine, EngineError> {
        let settings = options.settings(environment);
        let url = settings.get("store").map_or("sqlite:", |s| s.value.as_str()).to_owned();
        let mut policy = policy::load(settings.get("policy").map_or("hardwon", |s| &s.value))?;
        apply_to_policy(&settings, &mut policy);
        let gate = Gate::standard();
        let project = match options.project.as_deref().or(environment.project.as_deref()) {
            Some(name) if name.trim().is_empty() => {
                return Err(EngineError::Setting {
                    key: "project".into(),
                    reason: "a project needs a name".into(),
                });
            }
            Some(name) => identity(&gate, name),
            None => identity(&gate, environment.project().as_str()),
        };
        Ok(Engine {
            now: environment.now()?,
            store: open_store(&url, environment, access)?,
            project,
            policy,
            actor: gate.word(&environment.actor()).unwrap_or_else(|| "user".to_owned()),
            gate,
            speaker: if environment.agent.is_some() { Origin::Agent } else { Origin::User },
            settings,
        })
    }
}

/// A project's identity, like every word through the gate; where that changes the name,
/// a digest keeps two projects apart.
fn identity(gate: &Gate, name: &str) -> ProjectId {
    match gate.word(name) {
        Some(word) if word == name => ProjectId::new(name),
        word => {
            let digest = hex(&sha256(&[name])[..6]);
            ProjectId::new(&format!("{}#{digest}", word.unwrap_or_default()))
        }
    }
}

/// Settings that overrule numbers of the policy.
fn apply_to_policy(settings: &Settings, policy: &mut hardwon_core::policy::Policy) {
    if let Some(tokens) = settings.count("budget") {
        policy.budget.tokens = tokens;
        // Who sets a budget means it for everybody that is not named.
        policy.budget.tokens_by_role.clear();
    }
    if let Some(max) = settings.count("max_lessons") {
        policy.budget.max_lessons = max;
    }
    for setting in settings.all() {
        let role = setting.key.strip_prefix("budget_by_role.");
        if let (Some(role), Ok(tokens)) = (role, setting.value.parse()) {
            policy.budget.tokens_by_role.insert(role.to_owned(), tokens);
        }
    }
}

fn open_store(
    url: &str,
    environment: &Environment,
    access: Access,
) -> Result<Box<dyn Store>, EngineError> {
    match url.split_once(':') {
        Some(("sqlite", path)) => {
            let path = match path {
                "" => environment.data_folder()?.join("memory.db"),
                path => environment.folder.join(PathBuf::from(path)),
            };
            Ok(Box::new(SqliteStore::open(&path, access)?))
        }
        Some(("memory", "")) => Ok(Box::new(MemoryStore::new())),
        _ => Err(EngineError::StoreUrl {
            url: url.to_owned(),
            reason: "not a store this program knows; use sqlite:PATH",
        }),
    }
}
