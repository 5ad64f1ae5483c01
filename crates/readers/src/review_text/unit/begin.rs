//! The line that a part of a review begins with: its grade, its place, its title in bold, and what
//! is said behind that.

use super::super::fixed;
use super::super::line::led;
use super::super::place;
use super::super::said::{asks, inline_repair, sentences};
use super::super::shape::names_sort;
use super::super::title::{behind_code, code, without_number, without_place};
use super::super::words::{
    behind_label, behind_word, bracketed, dash_grade, graded, is_badge, leading, led_file,
    line_lead, only_grade, only_place, tail_mark,
};
use super::{Kind, MAX_MATTER_WORDS, MAX_SENTENCES, Unit};

impl Unit {
    /// The line that it begins with.
    pub fn title(&mut self, line: &str) {
        self.note(line);
        self.code = self.code.take().or_else(|| code(line));
        let line = match fixed::behind_mark(line) {
            Some(rest) => {
                self.is_fixed = true;
                rest
            }
            None => line,
        };
        let labelled = behind_label(line).map(|(name, grade, rest)| {
            self.grade(grade);
            format!("**{name}:** {rest}")
        });
        let line = labelled.as_deref().unwrap_or(line);
        let line = match leading(line) {
            Some((grade, rest)) => {
                self.grade(grade);
                rest
            }
            None => line,
        };
        let line = without_number(line);
        let line = behind_code(line).unwrap_or(line);
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
        let (behind, line) = dash_grade(line).map_or((None, line), |(it, line)| (Some(it), line));
        let (grade, line) = bracketed(line);
        let grade = behind.or(grade);
        grade.or_else(|| tail_mark(&line)).into_iter().for_each(|grade| self.grade(grade));
        let (line, repair) = inline_repair(&line);
        if let Some(repair) = repair {
            self.passing.get_or_insert_with(|| repair.to_owned());
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
                // `**Readiness:** ✅ …`
                self.is_well |= rest.trim_start_matches([':', ' ', '*']).starts_with('✅');
                // `**3 critical issues** that …` counts what comes.
                self.is_well |= self.kind == Kind::Item && names_sort(title);
                let title = without_number(title);
                let title = match led_file(title).filter(|_| self.place.is_none()) {
                    Some((found, rest)) => {
                        self.place = Some(found);
                        rest
                    }
                    None => title,
                };
                // `**Modularity:** In …` names a matter first.
                let is_matter = title.ends_with(':') || rest.starts_with(':');
                let is_matter = is_matter && title.split_whitespace().count() <= MAX_MATTER_WORDS;
                self.title = without_place(title.trim_end_matches(':'));
                let rest = rest.trim_start_matches([' ', ':', '—', '–', '-', '.']);
                self.is_titled = self.kind == Kind::Item;
                match sentences(rest).split_first() {
                    Some((first, others)) if is_matter => {
                        let (first, repair) = inline_repair(first);
                        self.passing = self.passing.take().or(repair.map(str::to_owned));
                        self.title = without_place(&format!("{}: {first}", self.title));
                        others.iter().for_each(|it| self.line_of_body(it));
                    }
                    Some(_) => self.line_of_body(rest),
                    None => {}
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
}
