//! What does one part of a review say that may be a finding? Its title, what stands below it, and
//! the fields that are stated about it come together here, and it is decided whether it is one.

mod begin;
mod settle;

use hardwon_core::finding::FindingState;

use super::field::Field;
use super::line::led;
use super::place;
use super::place::Place;
use super::said::inline_repair;
use super::table::{says_well, status};
use super::words::{Grade, graded, leading, line_lead, only_line, only_place};

/// Most that is kept of what stands about one finding.
const MAX_PROSE_BYTES: usize = 4 << 10;

/// A finding says in this many sentences what is wrong, if its title does not.
const MAX_SENTENCES: usize = 2;

/// A title of so few words names a matter, and not what is wrong with it.
const MAX_MATTER_WORDS: usize = 3;

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
    /// The message grades its items: one without a grade says something else.
    pub is_strict: bool,
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
    /// What was said to do in passing; a field of its own says it better.
    passing: Option<String>,
    /// A field without words yet: what follows are its words.
    awaits: Option<Field>,
    state: Option<FindingState>,
    category: Option<String>,
    body: Vec<String>,
    prose: String,
    is_fixed: bool,
    /// What is good about the same matter is told beside it.
    pub is_contrasted: bool,
    /// What the message calls it: `M1`.
    pub code: Option<String>,
    /// Where something is that is told about it; what states its place says it better.
    shown: Option<Place>,
    /// A field says how bad it is.
    is_grade_stated: bool,
    /// A field says what is wrong.
    is_stated: bool,
    /// It is said of it that all is well.
    is_well: bool,
    /// It is one of several that are counted.
    pub is_numbered: bool,
    /// It has a title in bold, and words behind it.
    is_titled: bool,
    /// A field says what to do.
    is_asked: bool,
    /// A field says where it is.
    is_place_stated: bool,
    /// It stands in a list of its section, and not below something else.
    pub is_listed: bool,
}

impl Unit {
    pub fn new(kind: Kind, around: Around) -> Self {
        Unit {
            kind,
            is_fixed: around.is_fixed,
            around,
            own: None,
            title: String::new(),
            is_contrasted: false,
            code: None,
            shown: None,
            is_grade_stated: false,
            is_stated: false,
            is_well: false,
            place: None,
            line: None,
            text: None,
            repair: None,
            passing: None,
            awaits: None,
            state: None,
            category: None,
            body: Vec::new(),
            prose: String::new(),
            is_numbered: false,
            is_titled: false,
            is_asked: false,
            is_place_stated: false,
            is_listed: false,
        }
    }

    /// Whether nothing says yet what is wrong.
    pub fn is_wordless(&self) -> bool {
        self.title.is_empty() && self.text.is_none() && self.body.is_empty()
    }

    /// Whether nothing but its title was read.
    pub fn is_only_title(&self) -> bool {
        let is_empty = self.body.is_empty() && self.text.is_none() && self.place.is_none();
        is_empty && !self.title.is_empty() && matches!(self.kind, Kind::Heading | Kind::Lead)
    }

    pub fn has_field(&self, field: Field) -> bool {
        match field {
            Field::Place => self.place.is_some(),
            Field::Severity => self.own.is_some(),
            Field::Text => self.text.is_some(),
            Field::Repair => self.repair.is_some() || self.passing.is_some(),
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

    /// A line below the first one.
    pub fn take(&mut self, line: &str) {
        self.note(line);
        if let Some((found, grade)) = only_place(line) {
            self.take_place(found);
            grade.into_iter().for_each(|grade| self.grade(grade));
            return;
        }
        if self.take_line(line) {
            return;
        }
        if let Some(field) = self.awaits.take_if(|field| *field != Field::Place) {
            return self.take_words(field, line);
        }
        self.line_of_body(line);
    }

    fn line_of_body(&mut self, line: &str) {
        // A line that begins with a place says where better than a file in the title.
        if let Some((path, number @ None)) = &mut self.place {
            let mut places = line.split_whitespace().filter_map(place::place);
            *number = places.find(|(other, _)| other == path).and_then(|(_, number)| number);
        }
        let is_loose = self.place.as_ref().is_none_or(|(_, line)| line.is_none());
        if is_loose
            && !self.is_place_stated
            && let Some(((path, number), rest)) = led(line)
        {
            self.place = Some((path, Some(number)));
            return self.body.push(rest.to_owned());
        }
        let (line, repair) = inline_repair(line);
        if let Some(repair) = repair {
            self.passing.get_or_insert_with(|| repair.to_owned());
        }
        self.body.push(line.to_owned());
    }

    fn take_place(&mut self, found: Place) {
        if self.place.as_ref().is_none_or(|(_, line)| line.is_none() && found.1.is_some()) {
            self.place = Some(found);
        }
    }

    /// What is stated says it better than a file that the title mentions.
    fn state_place(&mut self, found: Place) {
        let is_loose = self.place.as_ref().is_none_or(|(_, line)| line.is_none());
        if is_loose && !self.is_place_stated {
            self.place = None;
        }
        self.is_place_stated = true;
        self.take_place(found);
    }

    /// Whether a line only adds the number of the line to the file that is known.
    fn take_line(&mut self, line: &str) -> bool {
        let is_missing = self.place.as_ref().is_some_and(|(_, line)| line.is_none());
        if !is_missing || self.line.is_some() {
            return false;
        }
        let lead = line_lead(line).or_else(|| only_line(line).map(|number| (number, "")));
        let Some((number, rest)) = lead else { return false };
        self.line = Some(number);
        if !rest.is_empty() {
            self.line_of_body(rest);
        }
        true
    }

    pub fn take_field(&mut self, field: Field, value: &str, line: &str) {
        self.note(line);
        self.awaits = value.is_empty().then_some(field);
        self.take_words(field, value);
    }

    fn take_words(&mut self, field: Field, value: &str) {
        let words = || (!value.is_empty()).then(|| value.to_owned());
        match field {
            Field::Place => {
                place::with_line(value).into_iter().for_each(|found| self.state_place(found));
            }
            Field::Line => {
                let digits = value.trim_start_matches(['L', 'l', '~', '`', '#', ' ']);
                let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                self.line = self.line.or(digits[..end].parse().ok());
            }
            Field::Severity => {
                let grade = value.split_whitespace().find_map(graded);
                let grade = grade.or_else(|| leading(value).map(|(grade, _)| grade));
                // How bad it is comes before how urgent the repair is.
                if let Some(grade) = grade.filter(|_| !self.is_grade_stated) {
                    self.own = Some(grade);
                    self.is_grade_stated = true;
                }
            }
            Field::Text => {
                self.text = self.text.take().or_else(words);
                self.is_stated = true;
            }
            Field::Repair => {
                self.repair = self.repair.take().or_else(words);
                self.is_asked |= self.repair.is_some();
            }
            Field::Status => {
                self.state = status(value);
                self.is_well |= says_well(value);
            }
            Field::Category => self.category = words(),
            Field::Other => {
                // What is shown as evidence says where, if nothing else does.
                let found = place::with_line(value).filter(|(_, line)| line.is_some());
                self.shown = self.shown.take().or(found);
            }
        }
    }

    /// Keeps what stands about it.
    pub fn note(&mut self, line: &str) {
        if self.prose.len() + line.len() < MAX_PROSE_BYTES {
            self.prose.push_str(line);
            self.prose.push('\n');
        }
    }
}
