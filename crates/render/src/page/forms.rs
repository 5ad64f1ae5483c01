//! What can be done from a page. Plain forms: each hands back the token of the session, the
//! project, the version that was looked at and the page to come back to. Who may not decide sees
//! why, and the command to type.

use hardwon_core::lesson::Decision;
use maud::{Markup, html};

use super::link::Link;
use super::parts;
use super::{Says, Shell};
use crate::answer::{Choice, Lesson, Named};

pub(super) struct Subject<'a> {
    pub(super) shell: &'a Shell<'a>,
    pub(super) lesson: &'a Lesson,
    pub(super) if_match: &'a str,
    pub(super) back: &'a str,
    /// Lessons to offer where another one is to be named.
    pub(super) near: &'a [Named],
}

/// Takes back what was just done.
pub(super) fn undo(shell: &Shell<'_>, operation: u64, back: &str) -> Markup {
    html! {
        @match &shell.speaker {
            Says::Person => {
                form.inline action="/undo" method="post" {
                    (common(shell, back))
                    input type="hidden" name="operation" value=(operation);
                    button #undo type="submit" data-key="u" { "Undo" }
                }
            }
            Says::Reader { .. } => (parts::command(&format!("hardwon undo {operation}"))),
        }
    }
}

fn common(shell: &Shell<'_>, back: &str) -> Markup {
    html! {
        input type="hidden" name="csrf" value=(shell.csrf);
        input type="hidden" name="project" value=(shell.project);
        input type="hidden" name="back" value=(back);
    }
}

impl Subject<'_> {
    fn action(&self, what: &str) -> String {
        let id = self.lesson.id.to_string();
        let shell = Shell { is_default_project: true, ..self.shell.clone() };
        Link::of("lessons", &id).act(what).to(&shell)
    }

    fn hidden(&self) -> Markup {
        html! {
            (common(self.shell, self.back))
            input type="hidden" name="if_match" value=(self.if_match);
        }
    }

    /// The form, or why there is none and what to type instead.
    fn unless_reader(&self, form: Markup) -> Markup {
        match &self.shell.speaker {
            Says::Person => form,
            Says::Reader { .. } => html! {},
        }
    }

    /// Why there are no forms, and what to type.
    pub(super) fn reader(&self, commands: &[String]) -> Markup {
        html! {
            @if let Says::Reader { reason } = &self.shell.speaker {
                div.notice {
                    p { "This page only shows: " (reason) }
                    (parts::command(&commands.join("\n")))
                }
            }
        }
    }

    /// One button, no question: everything can be undone.
    fn button(&self, what: &str, word: &str, hint: &str) -> Markup {
        let id = format!("act-{what}");
        self.unless_reader(html! {
            form.inline action=(self.action(what)) method="post" {
                (self.hidden())
                button id=(id) type="submit" title=(hint) { (word) }
            }
        })
    }

    /// Pin and forget, or their opposites.
    pub(super) fn buttons(&self) -> Markup {
        let is_away = self.lesson.state.is_put_away();
        html! {
            @if self.lesson.is_pinned { (self.button("unpin", "Unpin", "No longer in every block")) }
            @else if !is_away { (self.button("pin", "Pin", "Reserve space in every block")) }
            @if is_away { (self.button("restore", "Restore", "Bring it back")) }
            @else { (self.button("forget", "Forget", "Archive it; can be restored")) }
        }
    }

    /// Other words for it.
    pub(super) fn edit(&self) -> Markup {
        self.unless_reader(html! {
            details #edit {
                summary #edit-open { "Edit the text" }
                form.stack action=(self.action("edit")) method="post" {
                    (self.hidden())
                    label for="edit-text" { "Text" }
                    textarea #edit-text name="text" rows="4" required dir="auto" {
                        (self.lesson.text)
                    }
                    button #edit-save type="submit" { "Save" }
                }
            }
        })
    }

    /// Into another that says the same.
    pub(super) fn merge(&self) -> Markup {
        self.unless_reader(html! {
            details #merge {
                summary #merge-open { "Merge into another" }
                form.stack action=(self.action("merge")) method="post" {
                    (self.hidden())
                    (self.other("merge", "other", "The lesson that stays"))
                    p.hint { "It gets the evidence of both; this one is superseded." }
                    button #merge-do type="submit" { "Merge" }
                }
            }
        })
    }

    /// A field for another lesson, with those that are near.
    fn other(&self, form: &str, name: &str, label: &str) -> Markup {
        let (field, list) = (format!("{form}-other"), format!("{form}-near"));
        html! {
            label for=(field) { (label) " (its id)" }
            input id=(field) name=(name) list=(list) required autocomplete="off" spellcheck="false";
            datalist id=(list) {
                @for named in self.near { option value=(named.id) { (named.text) } }
            }
        }
    }

    /// All ways to decide, behind one reason.
    pub(super) fn decide(&self, choices: &[Choice]) -> Markup {
        self.unless_reader(html! {
            form.stack.decide #decide action=(self.action("decide")) method="post" {
                (self.hidden())
                label for="because" { "Why? One sentence, kept with the decision." }
                input #because name="because" autocomplete="off" dir="auto";
                div.choices {
                    @for choice in choices.iter().filter(|one| one.decision != Decision::Supersede) {
                        (self.choice(choice))
                    }
                }
            }
            @if let Some(choice) = choices.iter().find(|one| one.decision == Decision::Supersede) {
                (self.supersede(choice))
            }
        })
    }

    fn choice(&self, choice: &Choice) -> Markup {
        let word = choice.decision.word();
        let (id, told) = (format!("decide-{word}"), format!("{word}-means"));
        html! {
            div.choice {
                button id=(id) type="submit" name="decision" value=(word)
                    data-key=(key(choice.decision.0)) aria-describedby=(told) {
                    (capital(word)) " " kbd aria-hidden="true" { (key(choice.decision.0)) }
                }
                span.hint id=(told) { (self.means(choice)) }
            }
        }
    }

    /// The one decision that needs another lesson.
    fn supersede(&self, choice: &Choice) -> Markup {
        html! {
            details #supersede {
                summary #supersede-open data-key="s" {
                    "Supersede by another " kbd aria-hidden="true" { "s" }
                }
                form.stack action=(self.action("decide")) method="post" {
                    (self.hidden())
                    input type="hidden" name="decision" value="supersede";
                    (self.other("supersede", "with", "The lesson that replaces it"))
                    label for="supersede-because" { "Why?" }
                    input #supersede-because name="because" autocomplete="off" dir="auto";
                    p.hint { (self.means(choice)) }
                    button #supersede-do type="submit" { "Supersede" }
                }
            }
        }
    }

    /// What a decision would change.
    fn means(&self, choice: &Choice) -> String {
        let from = parts::words(self.lesson.state);
        let stays = |to: &str| *to == from;
        let to = choice.to.map(parts::words);
        let step = match (to, choice.decision.0) {
            (Some(to), _) if stays(&to) => format!("stays {from}"),
            (Some(to), _) => format!("{from} becomes {to}"),
            (None, Decision::Approve) => "one approval is noted".to_owned(),
            (None, _) => "not possible now".to_owned(),
        };
        match &choice.unless {
            Some(unless) => format!("{step}: {unless}"),
            None => step,
        }
    }
}

fn key(decision: Decision) -> &'static str {
    match decision {
        Decision::Approve => "a",
        Decision::Keep => "k",
        Decision::Weaken => "w",
        Decision::Reject => "x",
        Decision::Supersede => "s",
        Decision::Archive => "r",
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |c| c.to_ascii_uppercase().to_string() + chars.as_str())
}
