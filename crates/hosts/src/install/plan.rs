//! What is to be written, worked out before anything is; then all of it or nothing. The
//! manifest goes first: if the power fails in between, it knows more than was done, and
//! `uninstall` copes with that.

use std::fs;
use std::path::PathBuf;

use hardwon_engine::answer::{Answer, FileStep, HostFile, Installation};
use hardwon_engine::event::Problem;
use hardwon_engine::files::{Mode, NewFile, Place as FilePlace};
use hardwon_engine::{EngineError, Environment, digest};
use hardwon_render::diff::unified;

use super::entries;
use super::files::ExistingFile;
use super::jsonc;
use super::launch::{Launch, PROGRAM};
use super::manifest::{self, Layer, Manifest, Record};
use super::places::{Place, also_ours, places};
use super::splice::Draft;
use super::switches::{has_plugin, switched_off};
use crate::host::{Host, Shape};
use crate::hosts::HOSTS;
use crate::surroundings::Surroundings;
use crate::survey::survey;

#[derive(Clone, Debug, Default)]
pub struct InstallRequest {
    /// By name; empty for all that are here.
    pub hosts: Vec<String>,
    /// Into the files that everybody in the project shares.
    pub is_project: bool,
    pub surroundings: Surroundings,
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error(transparent)]
    OpenMemory(#[from] EngineError),
    #[error("cannot write {}: {source}; nothing was changed", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{} was changed by another process just now; nothing was changed", path.display())]
    Changed { path: PathBuf },
    #[error("cannot write {}: {source}; call it again", path.display())]
    Half { path: PathBuf, source: std::io::Error },
}

/// Everything that is to be done.
pub struct Plan {
    answer: Answer<Installation>,
    edits: Vec<Edit>,
    manifest: Manifest,
}

struct Edit {
    place: Place,
    file: FilePlace,
    old: Option<String>,
    /// `None` if the file goes.
    new: Option<String>,
    /// Its folder goes, too, if nothing else is in it.
    with_folder: bool,
}

/// Plans what is missing in the files of these hosts.
pub fn install(environment: &Environment, request: &InstallRequest) -> Result<Plan, EngineError> {
    let mut plan = Plan::new(environment, request)?;
    let at = environment.now()?.to_string();
    let launch = Launch::of(&request.surroundings, request.is_project);
    let mut notes: Vec<String> = Vec::new();
    for host in plan.hosts(request) {
        let mut is_written = false;
        for place in places(environment, &request.surroundings, host, request.is_project)? {
            is_written |= plan.put_in(place, &launch, &at);
        }
        let by_hand =
            if request.is_project { host.files.by_hand_shared } else { host.files.by_hand };
        if is_written {
            notes.extend(by_hand.iter().map(|note| started_by(note, &launch)));
        }
        if let Some((path, switch)) = switched_off(environment, &request.surroundings, host) {
            let reason = format!("{switch} is set: no hook of ours runs until it is taken out");
            plan.answer.problems.push(Problem::new(path.display().to_string(), reason));
        }
    }
    if !notes.is_empty() {
        notes.splice(0..0, launch.note());
    }
    plan.answer.body.by_hand.extend(notes);
    plan.answer.problems.extend(lost(&launch, request, &plan.answer.body));
    Ok(plan.finished())
}

/// A note that starts us, with the program that the entries start.
fn started_by(note: &str, launch: &Launch) -> String {
    let named = |program: &str| format!("\"command\":\"{program}\"");
    note.replace(&named(PROGRAM), &named(&launch.program))
}

/// That entries start a program that cannot be found.
fn lost(launch: &Launch, request: &InstallRequest, body: &Installation) -> Option<Problem> {
    if !launch.is_lost || body.files.is_empty() {
        return None;
    }
    let folder = request.surroundings.own.as_deref().and_then(|own| own.parent());
    let folder = folder.map_or_else(|| "its folder".to_owned(), |at| at.display().to_string());
    let reason = format!("not on PATH, so no host can start it: add {folder} to PATH");
    Some(Problem::new(PROGRAM, reason))
}

/// Plans how everything of ours leaves the files of these hosts.
pub fn uninstall(environment: &Environment, request: &InstallRequest) -> Result<Plan, EngineError> {
    let mut plan = Plan::new(environment, request)?;
    let hosts: Vec<&Host> =
        if request.hosts.is_empty() { HOSTS.iter().collect() } else { plan.hosts(request) };
    let mut looked_at = Vec::new();
    for host in hosts.iter().copied() {
        let own = places(environment, &request.surroundings, host, request.is_project)?;
        let also = if request.is_project { also_ours(environment, host) } else { Vec::new() };
        for place in own.into_iter().chain(also) {
            looked_at.extend(plan.take_out(place));
        }
    }
    let is_left = |record: &&Record| {
        !looked_at.contains(&record.path) && hosts.iter().any(|host| host.name == record.host)
    };
    let left: Vec<String> = plan.manifest.files.iter().filter(is_left).map(left_over).collect();
    plan.answer.body.by_hand.extend(left);
    Ok(plan.finished())
}

fn left_over(record: &Record) -> String {
    format!("still installed: {} (it is another project's or user's file)", record.path.display())
}

impl Plan {
    fn new(environment: &Environment, request: &InstallRequest) -> Result<Plan, EngineError> {
        let hosts = survey(environment, &request.surroundings);
        let body = Installation { hosts, ..Installation::default() };
        let manifest = Manifest::read(environment)?;
        Ok(Plan { answer: Answer::of(body, Vec::new()), edits: Vec::new(), manifest })
    }

    /// The hosts that are meant: those that were named, else those that are here.
    fn hosts(&self, request: &InstallRequest) -> Vec<&'static Host> {
        let seen = &self.answer.body.hosts;
        let is_meant = |host: &&Host| {
            let is_here = || seen.iter().any(|it| it.name == host.name && it.sign.is_some());
            let is_named = request.hosts.iter().any(|name| name == host.name);
            is_named || request.hosts.is_empty() && is_here()
        };
        HOSTS.iter().filter(is_meant).collect()
    }

    pub fn answer(&self) -> &Answer<Installation> {
        &self.answer
    }

    fn finished(mut self) -> Plan {
        let is_empty = self.answer.body.n_writes() == 0;
        self.answer = Answer::of(self.answer.body, self.answer.problems).or_empty(is_empty);
        self
    }

    fn note(&mut self, place: &Place, step: FileStep, reason: Option<String>, diff: String) {
        let path = place.path.display().to_string();
        if step == FileStep::Leave {
            let reason = reason.clone().unwrap_or_default();
            self.answer.problems.push(Problem::new(&path, format!("left alone: {reason}")));
        }
        let (host, purpose) = (place.host.name, place.shape.purpose());
        let step = step.into();
        self.answer.body.files.push(HostFile { host, purpose, path, step, reason, diff });
    }

    /// Returns whether something is to be written.
    fn put_in(&mut self, place: Place, launch: &Launch, at: &str) -> bool {
        let drafted = place.read().and_then(|found| {
            let text = found.text.as_deref().unwrap_or_default();
            let is_hooks = place.shape == Shape::JsonHooks;
            let has_plugin = is_hooks && has_plugin(place.host, text);
            let draft = entries::put_in(place.host, place.shape, launch, text)?;
            // What would be written there is not in effect.
            if place.shape.is_json()
                && let Some(reason) = jsonc::refused_by(place.host.title, text)
            {
                return Err(reason);
            }
            if found.is_read_only && !draft.insertions.is_empty() {
                return Err("it is read-only".to_owned());
            }
            Ok((found, draft, has_plugin))
        });
        match drafted {
            Err(reason) => self.note(&place, FileStep::Leave, Some(reason), String::new()),
            Ok((_, draft, _)) if draft.insertions.is_empty() => {
                self.note(&place, FileStep::Keep, None, String::new());
            }
            Ok((_, _, true)) => {
                let reason = "the plugin is switched on there and brings them".to_owned();
                self.note(&place, FileStep::Keep, Some(reason), String::new());
            }
            Ok((found, draft, false)) => {
                self.write(place, found, draft, at);
                return true;
            }
        }
        false
    }

    fn write(&mut self, place: Place, found: ExistingFile, draft: Draft, at: &str) {
        let step = if found.text.is_some() { FileStep::Change } else { FileStep::Create };
        let diff =
            unified(&place.path.display().to_string(), found.text.as_deref(), Some(&draft.text));
        self.note(&place, step, None, diff);
        let before = found.text.as_deref().unwrap_or_default();
        let layer = Layer {
            at: at.to_owned(),
            before: digest(before.as_bytes()),
            after: digest(draft.text.as_bytes()),
            insertions: draft.insertions,
        };
        let path = found.place.path();
        let is_of_it = |record: &&mut Record| record.path == path;
        match self.manifest.files.iter_mut().find(is_of_it).filter(|_| found.text.is_some()) {
            Some(record) => record.layers.push(layer),
            None => {
                self.manifest.files.retain(|record| record.path != path);
                self.manifest.files.push(Record {
                    host: place.host.name.to_owned(),
                    path: path.to_owned(),
                    created: found.text.is_none(),
                    created_folder: path.parent().is_some_and(|folder| !folder.exists()),
                    layers: vec![layer],
                });
            }
        }
        let (file, old, new) = (found.place, found.text, Some(draft.text));
        self.edits.push(Edit { place, file, old, new, with_folder: false });
    }

    /// Returns the path that was looked at, if it could be.
    fn take_out(&mut self, place: Place) -> Option<PathBuf> {
        let found = match place.read() {
            Ok(found) => found,
            Err(reason) => {
                self.note(&place, FileStep::Leave, Some(reason), String::new());
                return None;
            }
        };
        let path = found.place.path().to_owned();
        let record = self.manifest.of(&path).cloned();
        self.manifest.files.retain(|record| record.path != path);
        let Some(text) = found.text.clone() else {
            self.note(&place, FileStep::Keep, Some("it is not there".to_owned()), String::new());
            return Some(path);
        };
        match without_us(&place, record.as_ref(), &found, &text) {
            Ok(None) => self.note(&place, FileStep::Keep, None, String::new()),
            Ok(Some((step, new))) => {
                let shown = place.path.display().to_string();
                let diff = unified(&shown, Some(&text), new.as_deref());
                self.note(&place, step, None, diff);
                let with_folder = record.is_some_and(|record| record.created_folder);
                let (file, old) = (found.place, Some(text));
                self.edits.push(Edit { place, file, old, new, with_folder });
            }
            Err(reason) => {
                // It stays known: the file may be readable again one day.
                self.manifest.files.extend(record);
                self.note(&place, FileStep::Leave, Some(reason), String::new());
            }
        }
        Some(path)
    }

    /// Writes everything, or nothing.
    pub fn carry_out(
        mut self,
        environment: &Environment,
    ) -> Result<Answer<Installation>, InstallError> {
        self.answer.body.is_done = true;
        let manifest_file = manifest::file(environment)?;
        let has_record = !self.manifest.files.is_empty();
        if self.edits.is_empty() && (has_record || !manifest_file.exists()) {
            return Ok(self.answer);
        }
        let mut ready = Vec::new();
        if has_record {
            let (path, text) = self.manifest.written(environment)?;
            ready.push(made_ready(&FilePlace::own(path), &text, 0o600)?);
        }
        for edit in &self.edits {
            let now = edit.place.read().ok().and_then(|found| found.text);
            if now != edit.old {
                return Err(InstallError::Changed { path: edit.file.path().to_owned() });
            }
            if let Some(text) = &edit.new {
                ready.push(made_ready(&edit.file, text, 0o666)?);
            }
        }
        place_all(ready)?;
        for edit in self.edits.iter().filter(|edit| edit.new.is_none()) {
            remove(edit)?;
        }
        if !has_record {
            // What it knew of is gone.
            let _ = fs::remove_file(&manifest_file);
        }
        Ok(self.answer)
    }
}

/// What is left without us, and by which step: `None` if nothing of ours is in it.
fn without_us(
    place: &Place,
    record: Option<&Record>,
    found: &ExistingFile,
    text: &str,
) -> Result<Option<(FileStep, Option<String>)>, String> {
    let is_created = record.is_some_and(|record| record.created);
    let original = record.and_then(|record| record.original(text));
    let rest = match &original {
        Some(original) => Some(original.clone()),
        None => entries::take_out(place.host, place.shape, text)?,
    };
    let Some(rest) = rest else { return Ok(None) };
    if found.is_read_only {
        return Err("it is read-only".to_owned());
    }
    let bare: String = rest.chars().filter(|c| !c.is_whitespace()).collect();
    Ok(Some(match (is_created && matches!(bare.as_str(), "" | "{}"), original.is_some()) {
        (true, _) => (FileStep::Delete, None),
        (false, true) => (FileStep::Restore, Some(rest)),
        (false, false) => (FileStep::Change, Some(rest)),
    }))
}

fn made_ready(file: &FilePlace, text: &str, mode: u32) -> Result<NewFile, InstallError> {
    let ready = NewFile::write_with_folder(file, text.as_bytes(), Mode::Kept(mode));
    ready.map_err(|source| InstallError::Write { path: file.path().to_owned(), source })
}

/// Once the first is in its place, the others follow; renaming hardly ever fails.
fn place_all(ready: Vec<NewFile>) -> Result<(), InstallError> {
    for (n_placed, ready) in ready.into_iter().enumerate() {
        let path = ready.path().to_owned();
        ready.place().map_err(|source| match n_placed {
            0 => InstallError::Write { path, source },
            _ => InstallError::Half { path, source },
        })?;
    }
    Ok(())
}

fn remove(edit: &Edit) -> Result<(), InstallError> {
    let half = |source| InstallError::Half { path: edit.file.path().to_owned(), source };
    edit.file.remove().map_err(half)?;
    if edit.with_folder {
        // Stays if another process put something there meanwhile.
        let _ = edit.file.remove_folder();
    }
    Ok(())
}
