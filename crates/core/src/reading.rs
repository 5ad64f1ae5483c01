//! What may be taken of what a model says of a session? Its answer and the digest that it read in,
//! lessons out, each with its evidence looked up; what is not borne out is refused, with every
//! reason. No sentence is judged by its language: only whether what it rests on is there.

mod alone;
mod lookup;
mod quotation;
#[cfg(test)]
mod tests;
mod told;

use std::collections::BTreeSet;

use crate::conflict::oppose;
use crate::lesson::{Kind, Lesson};
use crate::list;
use crate::observe::signature_of_failure;
use crate::session::{Digest, Entry, Shows, detector, mask};
use crate::words::words;

pub use quotation::{find, stands};
pub use told::{
    Beside, Checked, Failed, Judgement, Quoted, Read, Reading, Taken, Told, When, Works, needs_yes,
};

use told::command;

/// Longest lesson, and longest step of one, in characters.
pub const MAX_CHARS: usize = 240;
pub const MAX_STEP_CHARS: usize = 120;
const MAX_STEPS: usize = 6;
/// Lines by which nothing is recognized.
const TELLING_NOTHING: &[&str] = list!("session.txt", "telling nothing");
/// Share of a lesson's words from which a line of a rules file says it already.
const SAID_ALREADY: f64 = 0.7;

/// Looks every proposal of a reading up, in its order.
pub fn check(reading: &Reading, digest: &Digest, beside: &Beside<'_>) -> Vec<Checked> {
    let mut n_how = 0;
    let one = |read: &Read| {
        let mut checked = Checking { read, digest, beside, out: Checked::default() }.run();
        if checked.taken.told == Some(Told::How) && checked.refused.is_empty() {
            n_how += 1;
            checked.refused.extend((n_how > 1).then(|| "a second how of one session".to_owned()));
        }
        checked
    };
    reading.lessons.iter().map(one).collect()
}

/// Why a verdict does not count; nothing if it does.
pub fn refused_verdict(
    said: &Judgement,
    digest: &Digest,
    lesson: Option<&Lesson>,
) -> Option<String> {
    let Some(lesson) = lesson else { return Some("it names no lesson that was listed".to_owned()) };
    if !["heeded", "ignored", "wrong", "outdated"].contains(&said.verdict.as_str()) {
        return Some(format!("`{}` is no verdict", said.verdict));
    }
    let Some((entry, _)) = find(digest, said.entry, &said.quote, |_| true) else {
        return Some(format!("the quotation stands nowhere: {}", said.quote));
    };
    let is_against = matches!(said.verdict.as_str(), "wrong" | "outdated");
    let is_typed = digest.entry(entry).is_some_and(|entry| entry.shows == Shows::Typed);
    let is_unheard = is_against && lesson.kind == Kind::Preference && !is_typed;
    is_unheard.then(|| "only a person can take a wish back".to_owned())
}

struct Checking<'a> {
    read: &'a Read,
    digest: &'a Digest,
    beside: &'a Beside<'a>,
    out: Checked,
}

impl<'a> Checking<'a> {
    fn run(mut self) -> Checked {
        let read = self.read;
        let Some(told) = Told::from_word(&read.kind) else {
            self.refuse(format!("`{}` is no kind of lesson", read.kind));
            return self.out;
        };
        self.out.taken = Taken {
            told: Some(told),
            text: read.text.split_whitespace().collect::<Vec<_>>().join(" "),
            steps: if told == Told::How { read.steps.clone() } else { Vec::new() },
            importance: if (0.0..=1.0).contains(&read.importance) { read.importance } else { 0.5 },
            ..Taken::default()
        };
        self.form();
        self.names();
        let evidence = self.quotations(told);
        self.calls();
        self.evidence(told, &evidence);
        self.substance(told, &evidence);
        self.commands();
        self.rules();
        self.out.taken.waits = alone::waits(told, read, self.digest, &self.out.taken);
        self.out.refused.dedup();
        self.out
    }

    fn refuse(&mut self, reason: String) {
        self.out.refused.push(reason);
    }

    fn form(&mut self) {
        let Taken { text, steps, .. } = &self.out.taken;
        let n_chars = text.chars().count();
        let is_long = |step: &String| step.chars().count() > MAX_STEP_CHARS;
        if n_chars == 0 || n_chars > MAX_CHARS {
            self.refuse(format!("its text has {n_chars} characters, not 1 to {MAX_CHARS}"));
        } else if steps.len() > MAX_STEPS || steps.iter().any(is_long) {
            self.refuse(format!(
                "more than {MAX_STEPS} steps, or one of more than {MAX_STEP_CHARS} characters"
            ));
        }
    }

    /// Lessons that it names have to be among those that were listed.
    fn names(&mut self) {
        let find = |name: &Option<String>| {
            let name = name.as_deref().map(str::trim).filter(|name| !name.is_empty())?;
            let known = self.beside.known.iter().find(|lesson| lesson.id.as_str() == name);
            Some(known.map(|lesson| lesson.id.clone()).ok_or_else(|| name.to_owned()))
        };
        let (same, other) = (find(&self.read.same_as), find(&self.read.contradicts));
        for (field, found) in [("same_as", &same), ("contradicts", &other)] {
            if let Some(Err(name)) = found {
                self.out.refused.push(format!("{field} names no lesson that was listed: {name}"));
            }
        }
        self.out.taken.same_as = same.and_then(Result::ok);
        self.out.taken.contradicts = other.and_then(Result::ok);
    }

    /// Where the quotations stand; one that stands nowhere refuses the lesson.
    fn quotations(&mut self, told: Told) -> Vec<&'a Entry> {
        let line = self.read.failed.iter().map(|it| (it.entry, &it.line, true));
        let quotes = self.read.quotes.iter().map(|it| (it.entry, &it.text, false));
        let mut found = Vec::new();
        for (number, text, is_line) in quotes.chain(line) {
            let is_fit = |entry: &Entry| {
                is_line && entry.shows == Shows::Failed || !is_line && shows_it(told, entry)
            };
            match find(self.digest, number, text, is_fit) {
                Some((at, is_moved)) => {
                    if is_moved {
                        self.out
                            .notes
                            .push(format!("a quotation stands in [{at}], not [{number}]"));
                    }
                    if self.out.taken.quote.is_empty() {
                        (self.out.taken.quote, self.out.taken.entry) = (text.trim().to_owned(), at);
                    }
                    found.extend(self.digest.entry(at));
                }
                None => self.refuse(format!("a quotation stands nowhere, or is too short: {text}")),
            }
        }
        if found.is_empty() && self.out.refused.is_empty() {
            self.refuse("it quotes nothing".to_owned());
        }
        found
    }

    /// The calls that it names have to be what it says they are.
    fn calls(&mut self) {
        if let Some(failed) = &self.read.failed {
            let place =
                find(self.digest, failed.entry, &failed.line, |it| it.shows == Shows::Failed);
            let entry = place
                .and_then(|(at, _)| self.digest.entry(at))
                .filter(|it| it.shows == Shows::Failed);
            match entry {
                None => {
                    self.refuse(format!("[{}] is no failed call that printed this", failed.entry))
                }
                Some(entry) => {
                    let said = quotation::plain(&failed.line);
                    let line = entry.printed().find(|line| quotation::plain(line).contains(&said));
                    let line = mask(line.unwrap_or(&failed.line));
                    let tells = !TELLING_NOTHING.iter().any(|it| line.to_lowercase().contains(it));
                    if !tells {
                        let note = "this line tells no failure from another: it recognizes nothing";
                        self.out.notes.push(note.to_owned());
                    } else if entry.lines.contains(&line) {
                        let keys = entry.purposes.iter().map(|purpose| detector(purpose, &line));
                        self.out.taken.detectors = keys.collect();
                    } else {
                        self.out.notes.push(
                            "what went well printed this line, too: it recognizes nothing"
                                .to_owned(),
                        );
                    }
                    let printed: Vec<&str> = entry.printed().collect();
                    let failed = command(entry);
                    self.out.taken.observed = signature_of_failure(&failed, &printed.join("\n"));
                    self.out.taken.failed = Some(failed);
                }
            }
        }
        if let Some(works) = &self.read.works {
            let entry = self.digest.entry(works.entry);
            let entry = entry.filter(|it| {
                matches!(it.shows, Shows::Worked | Shows::Check | Shows::Edits | Shows::Found)
            });
            match entry {
                None => self.refuse(format!("[{}] is no call that worked", works.entry)),
                Some(entry) => {
                    self.out.taken.works = Some(command(entry)).filter(|it| !it.is_empty())
                }
            }
        }
        let said = self.read.when.paths.iter();
        self.out.taken.paths =
            said.filter(|path| lookup::stands_somewhere(self.digest, path)).cloned().collect();
    }

    fn evidence(&mut self, told: Told, evidence: &[&Entry]) {
        let has = evidence.iter().any(|entry| shows_it(told, entry));
        let wanted = match told {
            Told::Trap | Told::Fact => "nothing that it quotes was printed by a tool",
            Told::Wish => "nothing that it quotes was typed by a person",
            Told::How => "nothing that it quotes was printed by a check that passed",
        };
        if !has && self.out.refused.is_empty() {
            self.refuse(wanted.to_owned());
        }
        if told == Told::Wish && self.read.holds.as_deref() != Some("always") {
            self.refuse("it holds for this task only".to_owned());
        }
    }

    /// The evidence has to be about what the lesson says; across languages nobody can tell.
    fn substance(&mut self, told: Told, evidence: &[&Entry]) {
        let text = self.out.taken.text.clone();
        let is_latin = text.chars().filter(char::is_ascii).count() * 10 > text.chars().count() * 9;
        if told == Told::Wish || !is_latin || !self.out.refused.is_empty() {
            return;
        }
        let said: BTreeSet<String> =
            words(&format!("{text} {}", self.out.taken.steps.join(" "))).into_iter().collect();
        let quotes = self.read.quotes.iter().map(|it| it.text.as_str());
        let lines = self.read.failed.iter().map(|it| it.line.as_str());
        let calls = evidence.iter().map(|entry| entry.action.as_str());
        let shown = quotes.chain(lines).chain(calls).chain(self.out.taken.works.as_deref());
        let is_about = shown.flat_map(words).any(|word| said.contains(&word));
        if !is_about {
            self.refuse("it shares no word with its evidence".to_owned());
        }
    }

    /// Commands, paths and flags in backticks stand in the session.
    fn commands(&mut self) {
        let Taken { text, steps, .. } = &self.out.taken;
        let texts = std::iter::once(text).chain(steps);
        let spans = texts.flat_map(|text| text.split('`').skip(1).step_by(2));
        let missing: Vec<String> =
            spans.filter(|span| !lookup::has_code(self.digest, span)).map(str::to_owned).collect();
        missing
            .into_iter()
            .for_each(|span| self.refuse(format!("`{span}` does not stand in the session")));
    }

    /// What a rules file says needs no lesson; what corrects one does.
    fn rules(&mut self) {
        let text = self.out.taken.text.clone();
        let own: BTreeSet<String> = words(&text).into_iter().collect();
        for (name, rules) in self.beside.rules {
            for (at, line) in rules.lines().enumerate() {
                let theirs: BTreeSet<String> = words(line).into_iter().collect();
                let n_shared = own.intersection(&theirs).count() as f64;
                let is_said = theirs.len() > 2 && n_shared >= SAID_ALREADY * own.len() as f64;
                if is_said && !oppose(&text, line) {
                    return self.refuse(format!("{name}:{} says it", at + 1));
                }
            }
        }
    }
}

/// Whether an entry is evidence for lessons of this sort.
fn shows_it(told: Told, entry: &Entry) -> bool {
    match told {
        Told::Wish => entry.shows == Shows::Typed,
        Told::How => entry.is_check && matches!(entry.shows, Shows::Check | Shows::Worked),
        Told::Trap | Told::Fact => {
            matches!(entry.shows, Shows::Failed | Shows::Worked | Shows::Check | Shows::Found)
        }
    }
}
