//! Is a part of a review a finding? By its place, its grade, what is asked for, and where it stands.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Severity};

use super::super::place::Place;
use super::super::said::{asks, says_none, sentences};
use super::super::shape::is_area;
use super::super::title::{is_bare, is_objection, plain_repair, says_nothing_to_do};
use super::super::words::leading;
use super::super::{Reviewer, finding, place};
use super::{Kind, MAX_SENTENCES, Unit};

/// Fewer words of an item without a title name something, and do not say what is wrong with it.
const MIN_WORDS: usize = 6;

impl Unit {
    /// The finding that it is, if it is one.
    pub fn finding(mut self, by: &Reviewer<'_>) -> Option<FindingStated> {
        self.settle_place();
        self.repair = self.repair.take().or(self.passing.take());
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
        // Evidence with a line says where better than a file in the title.
        let is_loose = self.place.as_ref().is_none_or(|(_, line)| line.is_none());
        if is_loose && !self.is_place_stated && self.line.is_none() && self.shown.is_some() {
            self.place = self.shown.take();
        }
        if self.place.is_none() {
            let lines = self.text.iter().chain(&self.body);
            let named: Vec<Place> = lines.filter_map(|line| place::with_line(line)).collect();
            let shown = self.shown.take();
            let with_line = named.iter().find(|(_, line)| line.is_some()).cloned();
            self.place = with_line.or(shown).or(named.into_iter().next());
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
        // A title that only names a matter does not say what is wrong with it.
        let n_words = self.title.split_whitespace().count();
        let is_matter = n_words <= 3 && !self.title.contains('`') || is_area(&self.title);
        if let Some(text) = self.text.take_if(|_| is_matter && !is_bare(&self.title)) {
            self.title = format!("{}: {text}", self.title);
        }
        // `Adapter robustness` in a list of findings: the first sentence says what is wrong.
        let is_short = is_area(&self.title) && !self.title.contains(':') && self.kind == Kind::Item;
        if is_short && self.is_numbered && !rest.is_empty() && !asks(rest[0]) {
            self.title = format!("{}: {}", self.title, rest.remove(0));
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

    /// Whether it is a whole sentence in the list of its section.
    fn is_told_of(&self) -> bool {
        self.is_listed && self.title.split_whitespace().count() >= MIN_WORDS
    }

    /// How bad it is, if it is a finding at all.
    fn worst(&self) -> Option<Severity> {
        let is_nothing = says_none(&self.title) || is_bare(&self.title);
        if is_nothing || self.is_answered() || self.is_well {
            return None;
        }
        let has_line = self.place.as_ref().is_some_and(|(_, line)| line.is_some());
        let is_placed = self.place.is_some();
        let graded = self.own.or(self.around.worst);
        if self.repair.as_deref().is_some_and(says_nothing_to_do) {
            let is_marked = self.repair.as_deref().is_some_and(|it| it.contains(['✅', '✔', '✓']));
            return (is_placed && !is_marked).then_some(Severity::Info);
        }
        let is_own = self.own.is_some() || self.is_told_of() || self.is_titled || self.is_numbered;
        let is_loud = self.around.is_loud && !self.around.is_strict;
        let is_counted = self.is_numbered && self.is_titled;
        // `### Suggestion — …` says of itself what it is.
        let is_counted = is_counted || self.kind == Kind::Heading && self.own.is_some();
        let is_shown = is_placed || is_counted || self.is_asked || is_loud && is_own;
        if let Some(grade) = graded.filter(|grade| !grade.is_weak || is_shown) {
            return Some(grade.worst);
        }
        let is_said = match self.kind {
            Kind::Prose => has_line && self.repair.is_some(),
            Kind::Heading | Kind::Lead | Kind::Item => {
                let is_own =
                    self.is_asked || self.is_numbered || self.is_titled || self.is_told_of();
                // Who says what is wrong and what to do about it reports it, wherever it stands.
                let is_whole =
                    self.is_contrasted || self.is_asked && (self.is_stated || self.is_titled);
                has_line || is_whole || is_loud && (is_placed || is_own)
            }
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
