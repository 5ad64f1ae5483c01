//! The statements of a memory that is only looked at: a layout that is known, a folder of notes, or
//! plain Markdown.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_core::lesson::Lesson;
use hardwon_core::notes::audit::Fact;
use hardwon_core::notes::faults::{Fault, Stated};
use hardwon_engine::transfer::{look_into, refuse_odd};
use hardwon_engine::{EngineError, Environment};
use hardwon_readers::document_sentences;
use hardwon_store::checkout::root_of;

use super::bytes::{faults_in, files_of, text_of};
use crate::notes::{NotesFolder, STORE, fact_of};
use crate::store::Holdings;
use crate::system::{Reach, System};
use crate::{FolderError, LayoutName, unusable};

/// The word for files that belong to no layout.
const PLAIN: &str = "markdown";
const NO_MEMORY: &str = "no memory that is known: name a file or folder of one of the layouts, a \
                         folder of notes, or a Markdown file";

/// One memory, as it is now.
pub(super) struct Source {
    pub path: String,
    pub system: &'static str,
    pub stated: Vec<Stated>,
    /// What its bytes show.
    pub in_bytes: Vec<Fault>,
    /// The checkout that its facts are about.
    pub tree: PathBuf,
    pub problems: Vec<Problem>,
    base: PathBuf,
}

impl Source {
    /// Reads what lies there. Of several the path is part of each place.
    pub fn read(
        environment: &Environment,
        path: &str,
        is_one_of_several: bool,
    ) -> Result<Source, EngineError> {
        let place = environment.folder.join(path);
        refuse_link(&place)?;
        refuse_odd(&place)?;
        if !place.exists() {
            return Err(refused(&place, "no such file or folder"));
        }
        let mut source = Source {
            path: path.to_owned(),
            system: PLAIN,
            stated: Vec::new(),
            in_bytes: Vec::new(),
            tree: tree_of(environment, &place),
            problems: Vec::new(),
            base: place.clone(),
        };
        source.take(environment, &place)?;
        if source.base.is_file() {
            source.path = path.to_owned();
        }
        source.take_bytes();
        if is_one_of_several {
            source.name_path();
        }
        Ok(source)
    }

    /// Whether a file of its tree is part of it: a memory is no proof of what it says.
    pub fn has(&self, file: &str) -> bool {
        let (Ok(tree), Ok(base)) = (fs::canonicalize(&self.tree), fs::canonicalize(&self.base))
        else {
            return false;
        };
        tree.join(file).starts_with(base)
    }

    fn take(&mut self, environment: &Environment, place: &Path) -> Result<(), EngineError> {
        let layout = LayoutName::known_at(place).filter(|_| !is_markdown(place));
        match layout.map(|layout| (layout.word(), layout.system())) {
            Some((word, None)) => {
                let (found, problems) = look_into(environment, place)?;
                self.problems.extend(problems);
                self.system = word;
                self.stated = found.lessons.iter().map(of_export).collect();
            }
            Some((STORE, _)) => self.take_notes(place)?,
            Some((_, Some(system))) => self.take_system(environment, place, system)?,
            None if place.is_dir() || is_markdown(place) => self.take_pages(place)?,
            None => return Err(refused(place, NO_MEMORY)),
        }
        Ok(())
    }

    fn take_system(
        &mut self,
        environment: &Environment,
        place: &Path,
        system: &dyn System,
    ) -> Result<(), EngineError> {
        let content = system.look(environment, place, Reach::Project)?;
        self.system = system.word();
        self.base = content.base;
        self.problems.extend(content.held.problems);
        let holdings = &content.held.holdings;
        let stated = holdings.lessons.iter().filter(|lesson| !lesson.state.is_put_away());
        self.stated = where_recorded(stated.map(|lesson| of_lesson(lesson, holdings)).collect());
        Ok(())
    }

    /// Topic files as facts, and what the index says by itself.
    fn take_notes(&mut self, place: &Path) -> Result<(), EngineError> {
        let read = NotesFolder::read(place)?;
        self.system = STORE;
        let unreadable = read.set.unreadable.iter();
        self.problems.extend(unreadable.map(|it| Problem::new(&it.file, it.reason.clone())));
        let facts = read.set.notes.iter().map(|note| Fact::of_note(note, None));
        self.stated = facts.map(|fact| Stated { fact, n_uses: None }).collect();
        if let Some(index) = read.texts.get(crate::notes::INDEX) {
            let said = statements(crate::notes::INDEX, index).into_iter();
            // A line that leads to a topic repeats it on purpose.
            self.stated.extend(said.filter(|it| !it.fact.text.contains("](")));
        }
        Ok(())
    }

    fn take_pages(&mut self, place: &Path) -> Result<(), EngineError> {
        let files = files_of(place, &mut self.problems);
        let pages: Vec<PathBuf> = files.into_iter().filter(|file| is_markdown(file)).collect();
        if pages.is_empty() {
            return Err(refused(place, NO_MEMORY));
        }
        for page in pages {
            let Some(text) = text_of(&page, &mut self.problems) else { continue };
            self.stated.extend(statements(&self.label(&page), &text));
        }
        Ok(())
    }

    fn take_bytes(&mut self) {
        let gate = Gate::standard();
        // What could not be read was told with the statements.
        let mut told = Vec::new();
        for file in files_of(&self.base, &mut told) {
            let Some(text) = text_of(&file, &mut told) else { continue };
            self.in_bytes.extend(faults_in(&gate, &text, &self.label(&file)));
        }
        told.retain(|problem| !self.problems.contains(problem));
        self.problems.extend(told);
    }

    /// A file as it is named in places.
    fn label(&self, file: &Path) -> String {
        let inside = file.strip_prefix(&self.base).ok().filter(|it| *it != Path::new(""));
        let name = || file.file_name().map(Path::new).unwrap_or(file);
        inside.unwrap_or_else(name).display().to_string()
    }

    fn name_path(&mut self) {
        let above = match self.base.is_file() {
            true => Path::new(&self.path).parent().unwrap_or(Path::new("")).to_owned(),
            false => PathBuf::from(&self.path),
        };
        let named = |at: &str| above.join(at).display().to_string();
        self.stated.iter_mut().for_each(|it| it.fact.name = named(&it.fact.name));
        self.in_bytes.iter_mut().for_each(|it| it.at = named(&it.at));
    }
}

/// Each sentence and list item of a page.
fn statements(label: &str, text: &str) -> Vec<Stated> {
    let said = document_sentences(label, text).into_iter();
    let stated = said.map(|it| Stated {
        fact: Fact::new(&format!("{}:{}", it.file, it.line), &it.text, false, None),
        n_uses: None,
    });
    stated.collect()
}

fn of_lesson(lesson: &Lesson, holdings: &Holdings) -> Stated {
    let name = lesson.aliases.first().cloned().unwrap_or_else(|| lesson.id.to_string());
    let is_preference = !lesson.kind.decays();
    let shown = holdings.injections.iter().flat_map(|injection| &injection.shown);
    let n_shown = shown.filter(|shown| shown.lesson == lesson.id).count() as u32;
    let n_uses = n_shown + lesson.effects.n_tried() + u32::from(lesson.upkeep.used_at.is_some());
    Stated {
        fact: Fact::new(&name, lesson.text.as_str(), is_preference, Some(lesson.updated_at)),
        n_uses: lesson.state.is_active().then_some(n_uses),
    }
}

fn of_export(lesson: &hardwon_render::answer::Lesson) -> Stated {
    Stated { fact: fact_of(lesson), n_uses: None }
}

/// Uses count only where some were recorded: elsewhere nobody knows.
pub(super) fn where_recorded(mut stated: Vec<Stated>) -> Vec<Stated> {
    if !stated.iter().any(|it| it.n_uses.is_some_and(|n| n > 0)) {
        stated.iter_mut().for_each(|it| it.n_uses = None);
    }
    stated
}

fn is_markdown(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|ending| ending == "md")
}

/// The checkout that a memory lies in; if it lies in none, the one that is worked in.
fn tree_of(environment: &Environment, place: &Path) -> PathBuf {
    let folder = if place.is_dir() { place } else { place.parent().unwrap_or(place) };
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let root = root_of(&folder);
    if root.join(".git").exists() { root.to_owned() } else { environment.checkout().to_owned() }
}

fn refuse_link(path: &Path) -> Result<(), EngineError> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|about| about.file_type().is_symlink());
    if is_link { Err(unusable(FolderError::Link(path.to_owned()))) } else { Ok(()) }
}

fn refused(path: &Path, reason: &'static str) -> EngineError {
    EngineError::NotExport { path: path.to_owned(), reason }
}
