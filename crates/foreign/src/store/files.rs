//! The bytes of one memory's files, read together: what they are, what they will be, and
//! their digests, by which a change is noticed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::event::Problem;
use hardwon_core::foreign::ForeignFile;

use super::layout::{Form, Layout, Owner, Place, Shelf};
use crate::FolderError;

/// The bytes of the files as they were read; nothing for a file that is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    pub(super) by_name: BTreeMap<String, Vec<u8>>,
    pub(super) journal: Option<Vec<u8>>,
    /// Documents that are not plain files.
    pub(super) odd: Vec<Problem>,
    pub(super) digests: Digests,
}

/// Digests of files that were asked for once. They say nothing that the bytes do not.
#[derive(Clone, Debug, Default)]
pub(super) struct Digests(RefCell<BTreeMap<String, String>>);

impl PartialEq for Digests {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Digests {}

/// The bytes of files that only an import reads, by name.
pub type Beside = BTreeMap<&'static str, Vec<u8>>;

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    Append(Vec<u8>),
    Replace(Vec<u8>),
    Remove,
    /// Renames it: it is in the way, and not ours to remove.
    SetAside,
    /// Appends to a file that is never read.
    Log(Vec<u8>),
}

/// What becomes of which file.
#[derive(Clone, Debug)]
pub struct FileWrite {
    pub owner: Owner,
    pub name: String,
    pub write: Write,
}

impl FileWrite {
    /// Of a file of the project.
    pub fn of_project(name: &str, write: Write) -> Self {
        FileWrite { owner: Owner::Project, name: name.to_owned(), write }
    }
}

impl Files {
    pub(crate) fn read<L: Layout>(place: &Place) -> Result<Files, FolderError> {
        let mut files = Files::default();
        for (owner, name) in Files::names::<L>(place)? {
            let Some(folder) = place.folder(owner) else { continue };
            let is_document = shelves::<L>().any(|shelf| shelf.has_file(&name));
            let read = if is_document { folder.read_listed(&name) } else { folder.read(&name) };
            match read {
                Ok(bytes) => files.by_name.extend(bytes.map(|bytes| (name, bytes))),
                // One odd document among others is left alone, and told.
                Err(error @ (FolderError::Link(_) | FolderError::NotAFile(_))) if is_document => {
                    files.odd.push(Problem::new(&name, error.to_string()));
                }
                Err(error) => return Err(error),
            }
        }
        // The last, since writers begin with it: without a lock it may be ahead, never behind.
        files.journal = place.journal().read(L::JOURNAL)?;
        Ok(files)
    }

    /// The names of all files but the journal, whether they are there or not.
    fn names<L: Layout>(place: &Place) -> Result<Vec<(Owner, String)>, FolderError> {
        let mut names = Vec::new();
        for shelf in shelves::<L>() {
            match (shelf.form, place.folder(shelf.owner)) {
                (_, None) => {}
                (Form::Lines, _) => names.push((shelf.owner, shelf.path.to_owned())),
                (Form::Documents { ending }, Some(folder)) => {
                    let documents = folder.list(shelf.path, ending)?.into_iter();
                    let path = |name: String| Some(shelf.file(&name)).filter(|f| shelf.has_file(f));
                    names.extend(documents.filter_map(path).map(|file| (shelf.owner, file)));
                }
            }
        }
        names.extend(L::SIDE.iter().map(|name| (Owner::Project, (*name).to_owned())));
        Ok(names)
    }

    /// Files below the base that only an import reads.
    pub(crate) fn read_beside<L: Layout>(place: &Place) -> Result<Beside, FolderError> {
        let mut beside = Beside::new();
        for name in L::BESIDE {
            beside.extend(place.base.read(name)?.map(|bytes| (*name, bytes)));
        }
        Ok(beside)
    }

    /// Digest of all the project's files that an import reads, with their names: what `trust`
    /// pins.
    pub(crate) fn digest_of_all<L: Layout>(&self, beside: &Beside) -> String {
        let mut names: Vec<&str> = Vec::new();
        for shelf in shelves::<L>().filter(|shelf| !shelf.is_of_user()) {
            match shelf.form {
                Form::Lines => names.push(shelf.path),
                Form::Documents { .. } => names.extend(self.documents(shelf).map(|(name, _)| name)),
            }
        }
        names.extend(L::SIDE);
        let of = |bytes: Option<&Vec<u8>>| bytes.map_or_else(String::new, |it| sha256_of_bytes(it));
        let own = names.into_iter().map(|name| (name, self.digest(name)));
        // One that lies apart is ours alone, and came with nothing.
        let journal = (!L::JOURNAL_IS_APART).then(|| (L::JOURNAL, of(self.journal.as_ref())));
        let own = own.chain(journal);
        let all = own.chain(L::BESIDE.iter().map(|name| (*name, of(beside.get(name)))));
        let line = |(name, digest): (&str, String)| {
            let digest = if digest.is_empty() { "none" } else { &digest };
            format!("{name} {digest}\n")
        };
        sha256_of_bytes(all.map(line).collect::<String>().as_bytes())
    }

    /// A file's bytes; empty if it is not there.
    pub fn get(&self, name: &str) -> &[u8] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The documents of a shelf, by name.
    pub fn documents(&self, shelf: &Shelf) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.by_name.iter().filter(move |(name, _)| shelf.has_file(name));
        files.map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// The same as the layout tells them apart: by all that is there.
    pub fn documents_of<L: Layout>(&self, shelf: &Shelf) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.by_name.iter().filter(move |(name, _)| L::is_on(shelf, name, self));
        files.map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    pub(super) fn has(&self, shelf: &Shelf) -> bool {
        self.by_name.contains_key(shelf.path) || self.documents(shelf).next().is_some()
    }

    pub(super) fn after(&self, writes: &[FileWrite]) -> Files {
        let (mut by_name, digests) = (self.by_name.clone(), self.digests.clone());
        for FileWrite { name, write, .. } in writes {
            digests.0.borrow_mut().remove(name);
            match write {
                Write::Append(lines) => by_name.entry(name.clone()).or_default().extend(lines),
                Write::Replace(bytes) => drop(by_name.insert(name.clone(), bytes.clone())),
                Write::Remove | Write::SetAside => drop(by_name.remove(name)),
                Write::Log(_) => {}
            }
        }
        Files { by_name, journal: None, odd: self.odd.clone(), digests }
    }

    /// Digests of the project's own files, by name; the user's are not part of a project's
    /// history. Of documents each that is named has its own digest, and all others of that
    /// folder have one together.
    pub(super) fn digests<L: Layout>(&self, named: &BTreeSet<String>) -> BTreeMap<String, String> {
        let mut digests = BTreeMap::new();
        let records = L::SHELVES.iter().filter(|shelf| !shelf.is_of_user());
        let beside = L::SIDE_SHELVES.iter().map(|shelf| (shelf, true));
        for (shelf, is_beside) in records.map(|shelf| (shelf, false)).chain(beside) {
            if shelf.form == Form::Lines {
                digests.insert(shelf.path.to_owned(), self.digest(shelf.path));
                continue;
            }
            let rest_of = match shelf.form {
                // Records may stand in the same folder.
                Form::Documents { ending } if is_beside => format!("{}/*{ending}", shelf.path),
                _ => format!("{}/", shelf.path),
            };
            let own = named.iter().filter(|name| shelf.has_file(name));
            digests.extend(own.map(|name| (name.clone(), self.digest(name))));
            let rest = self.documents(shelf).filter(|(name, _)| !named.contains(*name));
            let rest: String =
                rest.map(|(name, _)| format!("{name} {}\n", self.digest(name))).collect();
            digests.insert(rest_of, sha256_of_bytes(rest.as_bytes()));
        }
        digests.extend(L::SIDE.iter().map(|name| ((*name).to_owned(), self.digest(name))));
        digests
    }

    /// Of a file; empty if it is not there.
    fn digest(&self, name: &str) -> String {
        let Some(bytes) = self.by_name.get(name) else { return String::new() };
        if let Some(known) = self.digests.0.borrow().get(name) {
            return known.clone();
        }
        let digest = sha256_of_bytes(bytes);
        self.digests.0.borrow_mut().insert(name.to_owned(), digest.clone());
        digest
    }
}

/// Shelves of records, then those of other documents.
fn shelves<L: Layout>() -> impl Iterator<Item = &'static Shelf> {
    L::SHELVES.iter().chain(L::SIDE_SHELVES)
}

/// Digests before and after, in one word each.
pub(super) fn marks<L: Layout>(
    before: &Files,
    after: &Files,
    writes: &[FileWrite],
) -> BTreeMap<String, String> {
    let named: BTreeSet<String> = writes.iter().map(|write| write.name.clone()).collect();
    let (before, after) = (before.digests::<L>(&named), after.digests::<L>(&named));
    let pair = |(name, before): (String, String)| {
        let pair = format!("{before} {}", after[&name]);
        (name, pair)
    };
    before.into_iter().map(pair).collect()
}

/// What the files are, where it is not said what they become.
pub(super) fn marks_open<L: Layout>(before: &Files) -> BTreeMap<String, String> {
    let open = |(name, before): (String, String)| (name, format!("{before} -"));
    before.digests::<L>(&BTreeSet::new()).into_iter().map(open).collect()
}

pub(super) fn digests_of(
    marks: &BTreeMap<String, String>,
) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let split = |(name, pair): (&String, &String)| {
        let (before, after) = pair.split_once(' ').unwrap_or_default();
        ((name.clone(), before.to_owned()), (name.clone(), after.to_owned()))
    };
    marks.iter().map(split).unzip()
}

/// The file with its lines as they are now and new ones behind them. A last line that
/// had no end gets one only if something follows it.
pub fn rewritten<L: Layout, T>(
    file: &ForeignFile<T>,
    lines: &[Option<Vec<u8>>],
    new: &[Vec<u8>],
) -> Option<Write> {
    let was = file.lines.iter().map(|line| &line.raw);
    if was.eq(lines.iter().flatten()) && lines.iter().all(Option::is_some) {
        return appended::<L, T>(file, new);
    }
    let has_last = lines.last().is_some_and(Option::is_some);
    let mut bytes = Vec::new();
    for line in lines.iter().flatten() {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    if has_last && !file.has_end {
        bytes.pop();
        bytes.extend_from_slice(if new.is_empty() { b"" } else { end_of_last::<L, T>(file) });
    }
    bytes.extend(ended::<L, T>(file, new));
    Some(Write::Replace(bytes))
}

/// New lines at the end of a file, after whatever stands there without an end.
pub fn appended<L: Layout, T>(file: &ForeignFile<T>, new: &[Vec<u8>]) -> Option<Write> {
    if new.is_empty() {
        return None;
    }
    let is_open = !file.lines.is_empty() && !file.has_end;
    let mut bytes = if is_open { end_of_last::<L, T>(file).to_vec() } else { Vec::new() };
    bytes.extend(ended::<L, T>(file, new));
    Some(Write::Append(bytes))
}

/// New lines with the ends that lines have in this layout.
fn ended<L: Layout, T>(file: &ForeignFile<T>, new: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in new {
        let bare = line.strip_suffix(b"\r").filter(|_| L::KEEPS_LINE_ENDS);
        bytes.extend_from_slice(bare.unwrap_or(line));
        bytes.extend_from_slice(end_of::<L, T>(file));
    }
    bytes
}

fn end_of<L: Layout, T>(file: &ForeignFile<T>) -> &'static [u8] {
    let has_returns = file.lines.first().is_some_and(|line| line.raw.ends_with(b"\r"));
    if L::KEEPS_LINE_ENDS && has_returns { b"\r\n" } else { b"\n" }
}

/// What the last line lacks if it has no end.
fn end_of_last<L: Layout, T>(file: &ForeignFile<T>) -> &'static [u8] {
    let has_return = file.lines.last().is_some_and(|line| line.raw.ends_with(b"\r"));
    if has_return { b"\n" } else { end_of::<L, T>(file) }
}
