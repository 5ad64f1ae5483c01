//! Which notes name files or scripts that are gone? No finding without proof: the search that
//! found nothing, and the commit that took it away. What history does not know may never have been
//! there.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use hardwon_core::event::Problem;
use hardwon_core::notes::references::{Named, Reference, references};
use hardwon_engine::Result;
use hardwon_render::answer::{Answer, AuditedFact, NotesAudit};
use hardwon_store::history::{ask_git, tree_files};
use hardwon_store::working_tree::cited_file;

use super::NotesFolder;
use super::look::MANIFESTS;
use super::state::find;

/// How long history is asked in all.
const PATIENCE: Duration = Duration::from_secs(30);

/// The notes of a folder, or those of them that are named, whose references are gone.
pub fn audit(tree: &Path, folder: &Path, slugs: &[String]) -> Result<Answer<NotesAudit>> {
    let read = NotesFolder::read(folder)?;
    for slug in slugs {
        find(&read.set, slug)?;
    }
    let is_asked = |note: &&hardwon_core::notes::Note| {
        slugs.is_empty() || slugs.iter().any(|slug| note.is_named(slug))
    };
    let notes: Vec<_> = read.set.notes.iter().filter(is_asked).collect();
    let until = Instant::now() + PATIENCE;
    let tree = Tree { root: tree, files: tree_files(tree, until), until };
    let mut asked: BTreeMap<Named, Option<Gone>> = BTreeMap::new();
    let mut findings = Vec::new();
    for reference in notes.iter().flat_map(|note| references(note)) {
        let named = reference.named.clone();
        let gone = asked.entry(named).or_insert_with_key(|named| tree.gone(named));
        findings.extend(gone.as_ref().map(|gone| gone.told(&reference)));
    }
    let mut problems = super::look::problems_of(&read);
    if Instant::now() >= until {
        let reason = "history was not asked about everything: it took too long";
        problems.push(Problem::new("git", reason));
    }
    let audit =
        NotesAudit { n_facts: notes.len() as u64, n_files: tree.files.len() as u64, findings };
    Ok(Answer::of(audit, problems).empty_if(|it| it.n_facts == 0))
}

struct Gone {
    searched: String,
    /// What it is called now.
    renamed_to: Option<String>,
    /// `COMMIT of DATE`, and its subject.
    commit: String,
    subject: String,
}

impl Gone {
    fn told(&self, reference: &Reference) -> AuditedFact {
        let Gone { searched, renamed_to, commit, subject } = self;
        let (did, proposed) = match (renamed_to, &reference.named) {
            (Some(to), Named::Path(from)) => {
                (format!("renamed it to `{to}`"), format!("replace \"{from}\" by \"{to}\""))
            }
            _ => ("removed it".to_owned(), format!("remove \"{}\"", reference.sentence)),
        };
        AuditedFact {
            fact: reference.note.clone(),
            finding: "STALE".to_owned(),
            quote: reference.sentence.clone(),
            evidence: vec![searched.clone(), format!("commit {commit} {did}: {subject}")],
            proposed,
        }
    }
}

/// A working tree with its history.
struct Tree<'a> {
    root: &'a Path,
    files: Vec<String>,
    until: Instant,
}

impl Tree<'_> {
    fn gone(&self, named: &Named) -> Option<Gone> {
        match named {
            Named::Path(path) => self.gone_path(path),
            Named::Script(name) => self.gone_script(name),
        }
    }

    fn gone_path(&self, path: &str) -> Option<Gone> {
        if self.has(path) || self.is_ignored(path) {
            return None;
        }
        let places = [format!(":(top,glob)**/{path}"), format!(":(top,glob)**/{path}/**")];
        let deleted = ["--no-renames", "--diff-filter=D"].map(str::to_owned);
        let (commit, subject) = self.newest(&deleted, &places)?;
        let id = commit.split(' ').next().unwrap_or_default().to_owned();
        let renamed =
            self.ask(&["show", "--format=", "--name-status", "-M", "--diff-filter=R", &id]);
        let renamed_to = renamed.unwrap_or_default().lines().find_map(|line| {
            let (from, to) = line.split_once('\t')?.1.split_once('\t')?;
            let is_it = from == path || from.ends_with(&format!("/{path}"));
            (is_it && self.has(to)).then(|| to.to_owned())
        });
        let searched = format!("no file or folder `{path}` in the tree (0 hits)");
        Some(Gone { searched, renamed_to, commit, subject })
    }

    fn gone_script(&self, name: &str) -> Option<Gone> {
        let is_manifest =
            |file: &&String| MANIFESTS.contains(&file.rsplit('/').next().unwrap_or(file));
        let manifests: Vec<&String> = self.files.iter().filter(is_manifest).collect();
        let starts = [format!("\"{name}\""), format!("{name}:"), format!("{name} ")];
        let has = manifests.iter().any(|file| {
            let text = cited_file(self.root, file).unwrap_or_default();
            text.lines().any(|line| starts.iter().any(|it| line.trim_start().starts_with(it)))
        });
        if has || manifests.is_empty() {
            return None;
        }
        let pattern = format!("-G(\"{name}\"|^{name}) *:");
        let places: Vec<String> =
            MANIFESTS.iter().map(|it| format!(":(top,glob)**/{it}")).collect();
        let (commit, subject) = self.newest(&["--no-renames".to_owned(), pattern], &places)?;
        let searched = format!("no script `{name}` in the manifests (0 hits)");
        Some(Gone { searched, renamed_to: None, commit, subject })
    }

    /// Whether a path is there, from the root or as the end of another, as a file or a folder.
    fn has(&self, path: &str) -> bool {
        let (end, below, inside) = (format!("/{path}"), format!("{path}/"), format!("/{path}/"));
        self.files.iter().any(|file| {
            let is_file = file == path || file.ends_with(&end);
            is_file || file.starts_with(&below) || file.contains(&inside)
        })
    }

    /// What git is told to ignore is made when it is needed, and being gone means nothing.
    fn is_ignored(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.ask(&["check-ignore", "--no-index", "--", path, &folder]).is_some()
    }

    /// The newest commit that changed one of these places in this way.
    fn newest(&self, how: &[String], places: &[String]) -> Option<(String, String)> {
        let first = ["log", "-1", "--format=%h of %cs%x1f%s"].map(str::to_owned);
        let parts = first.iter().chain(how).cloned().chain(["--".to_owned()]);
        let arguments: Vec<String> = parts.chain(places.iter().cloned()).collect();
        let log = ask_git(self.root, &arguments, self.until)?;
        let (commit, subject) = log.lines().next()?.split_once('\u{1f}')?;
        Some((commit.to_owned(), subject.to_owned()))
    }

    fn ask(&self, arguments: &[&str]) -> Option<String> {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        ask_git(self.root, &arguments, self.until)
    }
}
