//! What does one part of a review say that may be a finding? Its title, what stands below it, and
//! the fields that are stated about it come together here, and it is decided whether it is one.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Severity};
use hardwon_core::list;

use super::line::led;
use super::table::status;
use super::words::{
    Field, Grade, asks, behind_word, bracketed, graded, inline_repair, is_badge, leading,
    line_lead, only_grade, only_place, says_none, sentences,
};
use super::{Reviewer, finding, fixed, place};

/// Most that is kept of what stands about one finding.
const MAX_PROSE_BYTES: usize = 4 << 10;

/// A finding says in this many sentences what is wrong, if its title does not.
const MAX_SENTENCES: usize = 2;

pub type Place = (String, Option<u32>);

/// How a part of a review begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Heading,
    /// A line that stands out: a grade, bold words or a place.
    Lead,
    Item,
    /// A paragraph that names a place.
    Prose,
}

/// What stands around a part of a review.
#[derive(Clone, Debug, Default)]
pub struct Around {
    pub worst: Option<Grade>,
    /// The file that the section is about.
    pub place: Option<Place>,
    pub is_fixed: bool,
    /// The section is one of findings.
    pub is_loud: bool,
}

/// One part of a review, as far as it was read.
#[derive(Debug)]
pub struct Unit {
    pub kind: Kind,
    around: Around,
    own: Option<Grade>,
    title: String,
    pub place: Option<Place>,
    line: Option<u32>,
    text: Option<String>,
    repair: Option<String>,
    state: Option<FindingState>,
    category: Option<String>,
    body: Vec<String>,
    prose: String,
    is_fixed: bool,
}

impl Unit {
    pub fn new(kind: Kind, around: Around) -> Self {
        Unit {
            kind,
            is_fixed: around.is_fixed,
            around,
            own: None,
            title: String::new(),
            place: None,
            line: None,
            text: None,
            repair: None,
            state: None,
            category: None,
            body: Vec::new(),
            prose: String::new(),
        }
    }

    /// Whether nothing says yet what is wrong.
    pub fn is_wordless(&self) -> bool {
        self.title.is_empty() && self.text.is_none() && self.body.is_empty()
    }

    pub fn has_field(&self, field: Field) -> bool {
        match field {
            Field::Place => self.place.is_some(),
            Field::Severity => self.own.is_some(),
            Field::Text => self.text.is_some(),
            Field::Repair => self.repair.is_some(),
            Field::Line => self.line.is_some(),
            Field::Status | Field::Category | Field::Other => false,
        }
    }

    /// Whether it names a line of a file, or grades itself, so that what follows is about it.
    pub fn is_located(&self) -> bool {
        let has_line = self.place.as_ref().is_some_and(|(_, line)| line.is_some());
        has_line || self.own.is_some_and(|own| !own.is_weak)
    }

    pub fn grade(&mut self, grade: Grade) {
        if self.own.is_none_or(|own| own.is_weak) {
            self.own = Some(grade);
        }
    }

    pub fn mark_fixed(&mut self) {
        self.is_fixed = true;
    }

    /// The line that it begins with.
    pub fn title(&mut self, line: &str) {
        self.note(line);
        let line = match fixed::behind_mark(line) {
            Some(rest) => {
                self.is_fixed = true;
                rest
            }
            None => line,
        };
        let line = match leading(line) {
            Some((grade, rest)) => {
                self.grade(grade);
                rest
            }
            None => line,
        };
        let line = without_number(line);
        if let Some((found, grade)) = only_place(line) {
            self.place.get_or_insert(found);
            grade.into_iter().for_each(|grade| self.grade(grade));
            return;
        }
        if let Some((number, rest)) = line_lead(line) {
            self.line = Some(number);
            return match only_grade(rest) {
                Some(grade) => self.grade(grade),
                None if is_badge(rest) => {}
                None => self.words(rest),
            };
        }
        if let Some((before, found, rest)) = behind_word(line) {
            before.split_whitespace().find_map(graded).into_iter().for_each(|it| self.grade(it));
            self.place.get_or_insert(found);
            return self.after_place(rest);
        }
        match led(line) {
            Some(((path, number), rest)) => {
                self.place.get_or_insert((path, Some(number)));
                self.after_place(rest);
            }
            None => self.after_place(line),
        }
    }

    fn after_place(&mut self, line: &str) {
        // `error[E0308]: …` has a code between the word and the colon.
        let code = line.find("]:").and_then(|end| Some((line.find('[')?, end + 1)));
        let code = code.filter(|(from, _)| *from > 0 && !line[..*from].contains(' '));
        let without = code.map(|(from, to)| format!("{}{}", &line[..from], &line[to..]));
        let line = without.as_deref().unwrap_or(line);
        let line = match leading(line) {
            Some((grade, rest)) if !rest.is_empty() => {
                self.grade(grade);
                rest
            }
            _ => line,
        };
        self.words(line);
    }

    /// What the first line says: a title that is set in bold, and what follows it.
    fn words(&mut self, line: &str) {
        let (grade, line) = bracketed(line);
        grade.into_iter().for_each(|grade| self.grade(grade));
        let (line, repair) = inline_repair(&line);
        if let Some(repair) = repair {
            self.repair.get_or_insert_with(|| repair.to_owned());
        }
        if self.place.as_ref().is_none_or(|(_, line)| line.is_none()) {
            let found = place::with_line(line)
                .filter(|(path, _)| self.place.as_ref().is_none_or(|(known, _)| known == path));
            self.place = found.or(self.place.take());
        }
        let bold = line.strip_prefix("**").and_then(|rest| rest.split_once("**"));
        let is_title = |title: &str| title.split_whitespace().count() > 1;
        match bold.filter(|(title, _)| is_title(title) && only_place(title).is_none()) {
            Some((title, rest)) => {
                self.title = without_place(without_number(title));
                let rest = rest.trim_start_matches([' ', ':', '—', '–', '-', '.']);
                if !rest.is_empty() {
                    self.line_of_body(rest);
                }
            }
            None => self.sentences_of_title(line),
        }
    }

    /// Of a long line the first sentences say what is wrong.
    fn sentences_of_title(&mut self, line: &str) {
        // Where it stands is known; the line in the words would be wrong tomorrow.
        let (first, others) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let begins = place::place(first).filter(|(_, line)| line.is_some() && !others.is_empty());
        let is_sentence = others.starts_with(|c: char| c.is_uppercase() || c == '*');
        let line = match begins {
            Some(_) if is_sentence => others.to_owned(),
            Some((path, _)) => format!("{path} {others}"),
            None => line.to_owned(),
        };
        let all = sentences(&line);
        let n_title = match all.iter().skip(1).position(|sentence| asks(sentence)) {
            Some(at) => (at + 1).min(MAX_SENTENCES),
            None => all.len().min(MAX_SENTENCES),
        };
        self.title = without_place(&all[..n_title].join(" "));
        all[n_title..].iter().for_each(|sentence| self.body.push((*sentence).to_owned()));
    }

    /// A line below the first one.
    pub fn take(&mut self, line: &str) {
        self.note(line);
        if let Some((found, grade)) = only_place(line) {
            self.take_place(found);
            grade.into_iter().for_each(|grade| self.grade(grade));
            return;
        }
        self.line_of_body(line);
    }

    fn line_of_body(&mut self, line: &str) {
        if self.place.is_none()
            && let Some(((path, number), rest)) = led(line)
        {
            self.place = Some((path, Some(number)));
            return self.body.push(rest.to_owned());
        }
        let (line, repair) = inline_repair(line);
        if let Some(repair) = repair {
            self.repair.get_or_insert_with(|| repair.to_owned());
        }
        self.body.push(line.to_owned());
    }

    fn take_place(&mut self, found: Place) {
        if self.place.as_ref().is_none_or(|(_, line)| line.is_none() && found.1.is_some()) {
            self.place = Some(found);
        }
    }

    pub fn take_field(&mut self, field: Field, value: &str, line: &str) {
        self.note(line);
        let words = || (!value.is_empty()).then(|| value.to_owned());
        match field {
            Field::Place => {
                place::with_line(value).into_iter().for_each(|found| self.take_place(found));
            }
            Field::Line => {
                let digits = value.trim_start_matches(|c: char| !c.is_ascii_digit());
                let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                self.line = self.line.or(digits[..end].parse().ok());
            }
            Field::Severity => {
                let grade = value.split_whitespace().find_map(graded);
                grade.or_else(|| leading(value).map(|(grade, _)| grade)).into_iter().for_each(
                    |it| {
                        self.own = Some(it);
                    },
                );
            }
            Field::Text => self.text = self.text.take().or_else(words),
            Field::Repair => self.repair = self.repair.take().or_else(words),
            Field::Status => self.state = status(value),
            Field::Category => self.category = words(),
            Field::Other => {}
        }
    }

    /// Keeps what stands about it.
    pub fn note(&mut self, line: &str) {
        if self.prose.len() + line.len() < MAX_PROSE_BYTES {
            self.prose.push_str(line);
            self.prose.push('\n');
        }
    }

    /// The finding that it is, if it is one.
    pub fn finding(mut self, by: &Reviewer<'_>) -> Option<FindingStated> {
        self.settle_place();
        self.settle_words();
        let worst = self.worst()?;
        let mut found = finding(by, worst, &self.title, self.place)?;
        if self.is_fixed {
            (found.state, found.is_gone) = (Some(FindingState::Fixed), true);
        }
        if let Some(state) = self.state {
            (found.state, found.is_gone) = (Some(state), state == FindingState::Fixed);
        }
        found.category = self.category;
        let repair = self.repair.filter(|repair| !says_nothing_to_do(repair));
        found.repair = repair.map(|repair| plain_repair(&repair)).filter(|it| !it.is_empty());
        found.prose = Some(self.prose);
        Some(found)
    }

    fn settle_place(&mut self) {
        if self.place.is_none() {
            let lines = self.text.iter().chain(&self.body);
            self.place = lines.filter_map(|line| place::with_line(line)).next();
        }
        self.place = self.place.take().or_else(|| self.around.place.clone());
        if let (Some((_, line)), Some(stated)) = (&mut self.place, self.line) {
            line.get_or_insert(stated);
        }
    }

    /// What is wrong, and what to do: by their fields, or by the sentences below the title.
    fn settle_words(&mut self) {
        let body = self.body.join(" ");
        let mut rest = sentences(&body);
        if self.title.ends_with('?') && rest.len() > 1 {
            // A question of a list, which the words below it answer.
            let answer = rest[0].trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            if matches!(answer.as_str(), "no" | "not quite" | "partly" | "partially") {
                rest.remove(0);
                self.title.clear();
            }
        }
        if is_bare(&self.title) {
            self.title = match self.text.take() {
                Some(text) => text,
                None => {
                    let n_asking = rest.iter().skip(1).position(|sentence| asks(sentence));
                    let n = n_asking.map_or(rest.len(), |at| at + 1).min(MAX_SENTENCES);
                    let text = rest[..n].join(" ");
                    rest.drain(..n);
                    self.body.clear();
                    let (grade, rest) = leading(&text)
                        .map_or((None, text.as_str()), |(grade, rest)| (Some(grade), rest));
                    grade.into_iter().for_each(|grade| self.own = self.own.or(Some(grade)));
                    rest.to_owned()
                }
            };
        }
        if self.repair.is_none() {
            self.repair = rest.iter().find(|sentence| asks(sentence)).map(|it| (*it).to_owned());
        }
    }

    /// Whether it is a question that was answered with yes.
    fn is_answered(&self) -> bool {
        let answer = self.body.first().map(|line| line.to_lowercase()).unwrap_or_default();
        self.title.ends_with('?') && answer.starts_with("yes")
    }

    /// How bad it is, if it is a finding at all.
    fn worst(&self) -> Option<Severity> {
        if says_none(&self.title) || is_bare(&self.title) || self.is_answered() {
            return None;
        }
        let has_line = self.place.as_ref().is_some_and(|(_, line)| line.is_some());
        let is_placed = self.place.is_some();
        let graded = self.own.or(self.around.worst);
        if self.repair.as_deref().is_some_and(says_nothing_to_do) {
            return is_placed.then_some(Severity::Info);
        }
        if let Some(grade) = graded.filter(|grade| !grade.is_weak || is_placed) {
            return Some(grade.worst);
        }
        let is_said = match self.kind {
            Kind::Prose => has_line && self.repair.is_some(),
            Kind::Heading | Kind::Lead | Kind::Item => has_line || self.around.is_loud && is_placed,
        };
        let praises = |line: &String| {
            let words = line.split_whitespace().filter(|word| place::first_place(word).is_none());
            let words: Vec<&str> =
                words.filter(|word| word.contains(char::is_alphanumeric)).collect();
            !words.is_empty() && !is_objection(&words.join(" "))
        };
        let is_praised = self.body.first().is_some_and(praises);
        let is_one = is_said && graded.is_none() && !is_praised;
        (is_one && is_objection(&self.title)).then_some(Severity::Warning)
    }
}

/// Whether what is asked for is nothing.
fn says_nothing_to_do(repair: &str) -> bool {
    let lower = repair.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    says_none(repair) || lower.starts_with("no action") || lower.starts_with("no change")
}

/// Whether a title says nothing: `Issue 1`, `Finding`, or no word at all.
fn is_bare(title: &str) -> bool {
    const WORDS: &[&str] = list!("reviews.txt", "heading");
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_known = |word: &str| {
        let lower = word.to_lowercase();
        WORDS.contains(&lower.trim_end_matches('s')) || lower.chars().all(|c| c.is_ascii_digit())
    };
    words.into_iter().all(is_known)
}

/// Whether words behind a place object to it: not what was done there, and no praise.
pub fn is_objection(text: &str) -> bool {
    const OTHERS: &[&str] = list!("reviews.txt", "no objection");
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_marked = text.starts_with(['✅', '✔', '✓', '☑']);
    text.split_whitespace().count() > 1 && !is_marked && !OTHERS.contains(&first.as_str())
}

/// A title without `1.`, `Issue 2:`, `#3`.
pub fn without_number(text: &str) -> &str {
    const NAMED: &[&str] = list!("reviews.txt", "numbered");
    let text = text.trim();
    let bold = text.strip_prefix("**").unwrap_or(text);
    let lower = bold.to_lowercase();
    let named = NAMED.iter().find(|name| lower.starts_with(**name)).map_or(0, |name| name.len());
    let after = bold.get(named..).unwrap_or(bold).trim_start_matches([' ', '#']);
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < after.len();
    if named > 0 && !is_numbered && after.starts_with(": ") {
        return after[2..].trim_start_matches("**").trim_start();
    }
    if !is_numbered || !(rest.is_empty() || rest.starts_with([':', '.', ')', ' ', '*'])) {
        return text;
    }
    // `**1.** …` has its stars on both sides.
    let rest = rest.trim_start_matches([':', '.', ')', ' ', '-', '–', '—']);
    if bold.len() < text.len() && !rest.starts_with("**") && rest.contains("**") {
        let from = text.len() - rest.len() - 2;
        return text.get(from..).filter(|it| it.starts_with("**")).unwrap_or(rest);
    }
    rest.trim_start_matches("**").trim_start()
}

/// A title without the place at its end or in its brackets: where it is is known.
fn without_place(title: &str) -> String {
    let title = title.trim();
    let is_place = |text: &str| only_place(text).is_some();
    for open in [" (", " ["] {
        if let Some((before, inside)) = title.rsplit_once(open)
            && is_place(inside)
        {
            return before.trim_end_matches([' ', ':', '—', '–', '-']).to_owned();
        }
    }
    for mark in [" — ", " – ", " - ", ": ", " at ", " in "] {
        if let Some((before, last)) = title.rsplit_once(mark)
            && is_place(last)
            && (before.split_whitespace().count() > 1)
            && !matches!(mark, " at " | " in ")
        {
            return before.trim().to_owned();
        }
    }
    title.to_owned()
}

/// A repair in one line, without what only asks for it.
fn plain_repair(text: &str) -> String {
    let text = super::plain(text);
    let sentence = sentences(&text).first().copied().unwrap_or_default().to_owned();
    sentence.trim_end_matches(['.', ';']).trim_matches(['"', ' ']).to_owned()
}
