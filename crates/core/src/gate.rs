//! May this text enter memory, and in which form? Every way in passes here, in this
//! order: limits, cleaning, redaction, then echo guard and admission. Only this module
//! can make a [`Text`], so nothing can be stored that has not passed.
//!
//! Pure: the compiled redaction rules are part of the [`Gate`] value. `engine` is the
//! only caller.

mod account;
mod admission;
pub mod admit;
mod clean;
mod cuts;
mod echo;
mod orders;
pub mod redact;
pub mod rows;
pub mod shape;

use crate::digest::{hex, sha256, sha256_of_bytes};
use crate::ids::LessonId;
use crate::lesson::Origin;
use crate::text::Text;
use crate::time::Timestamp;
use crate::words::sorted_unique;

pub(crate) use clean::one_line;
pub use clean::{BLOCK_BEGIN, BLOCK_END, harmless, harmless_json, inert, without_control};
pub use cuts::{end_of, first_chars, start_of, untorn};
pub use echo::{ShownLesson, echo_of};
pub use orders::as_name;
pub(crate) use orders::gives_orders;

/// Longest text of a lesson or a finding, in characters.
pub const MAX_TEXT_CHARS: usize = 2000;
/// Longest short field (author, category, path, …), in characters.
pub const MAX_WORD_CHARS: usize = 200;
/// Longest repair of a finding, in characters.
pub const MAX_REPAIR_CHARS: usize = 300;
/// Most tags of a lesson, and their length in characters.
pub const MAX_TAGS: usize = 16;
/// Longest tag.
pub const MAX_TAG_CHARS: usize = 64;

/// Why a text was not let in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("nothing is left of the text after cleaning")]
    Empty,
    #[error("the text has {n_chars} characters, a lesson at most {}: shorten it", MAX_TEXT_CHARS)]
    TooLong { n_chars: usize },
    /// Fewer content words than it needs: one from a person, three otherwise.
    #[error(
        "{}: say what, where or when",
        if *is_person { "no content word" } else { "fewer than three content words" }
    )]
    TooShort { is_person: bool },
    #[error("it tells its reader what to obey, which only a person may: `hardwon add`")]
    GivesOrders,
    /// A near copy of it.
    #[error("repeats lesson {lesson}, which had been shown to this run")]
    Echo { lesson: LessonId },
    #[error("ruled a false positive in this run, when {author} reported it")]
    Dismissed { author: String },
    #[error("forgotten for good on {}", at.date())]
    Forgotten { at: Timestamp },
}

/// The gate with its compiled rules.
pub struct Gate {
    rules: redact::Rules,
    /// Whether a text must also say enough.
    is_strict: bool,
}

impl Gate {
    /// The gate with the standard redaction rules.
    pub fn standard() -> Self {
        Gate { rules: redact::Rules::default(), is_strict: true }
    }

    /// The gate of another system's store: cleans and redacts all the same, but lets in
    /// whatever that system would have written down.
    pub fn foreign() -> Self {
        Gate { is_strict: false, ..Gate::standard() }
    }

    /// The same gate with the user's own redaction rules.
    pub fn redacting(self, rules: redact::UserRules) -> Self {
        Gate { rules: redact::Rules::with(rules), ..self }
    }

    /// A finding's text: cleaned, redacted, cut to the limit, and admitted if it says
    /// enough.
    pub fn finding(&self, raw: &str) -> Result<Text, Refusal> {
        let text = clean::cut(&self.cleaned(raw), MAX_TEXT_CHARS);
        self.admit(text, |text| admission::check(text, Origin::Reviewer))
    }

    /// The text of a finding that names a rule and a place beside it: then a few words are
    /// enough.
    pub fn located_finding(&self, raw: &str) -> Result<Text, Refusal> {
        let text = clean::cut(&self.cleaned(raw), MAX_TEXT_CHARS);
        self.admit(text, |text| admission::check_located(text, Origin::Reviewer))
    }

    /// Whether a text commands its reader, however little it says besides.
    pub fn gives_orders(&self, raw: &str) -> bool {
        orders::gives_orders(&clean::cut(&self.cleaned(raw), MAX_TEXT_CHARS))
    }

    /// A statement: refused rather than cut when it is too long, since its author is there
    /// to shorten it.
    pub fn statement(&self, raw: &str, origin: Origin) -> Result<Text, Refusal> {
        let text = self.cleaned(raw);
        let n_chars = text.chars().count();
        if n_chars > MAX_TEXT_CHARS {
            return Err(Refusal::TooLong { n_chars });
        }
        self.admit(text, |text| admission::check(text, origin))
    }

    /// A text that only has to be clean, such as that of a fix: never refused.
    pub fn line(&self, raw: &str) -> Text {
        Text::admitted(clean::cut(&self.cleaned(raw), MAX_TEXT_CHARS))
    }

    /// A text of many lines that is kept to be read, and never shown to an agent as what to do:
    /// cleaned, redacted and cut, its lines kept.
    pub fn passage(&self, raw: &str, max_bytes: usize) -> Text {
        // Secrets are found in the whole, so that none is cut into a piece that looks like none.
        let visible = clean::without_blocks(&clean::without_steering(raw));
        let redacted = self.redacted(&visible.replace('\r', ""));
        Text::admitted(cuts::start_of(redacted.trim(), max_bytes).trim_end().to_owned())
    }

    /// What is to be done about a finding: cleaned, redacted, cut. `None` if nothing is left, or
    /// if it commands its reader or fetches something.
    pub fn repair(&self, raw: &str) -> Option<String> {
        let text = clean::cut(&self.cleaned(raw), MAX_REPAIR_CHARS);
        (!self.is_strict && !text.is_empty() || admission::is_repair(&text)).then_some(text)
    }

    /// A short field: cleaned, redacted, cut. `None` if nothing is left.
    pub fn word(&self, raw: &str) -> Option<String> {
        let word = clean::cut(&self.cleaned(raw), MAX_WORD_CHARS);
        (!word.is_empty()).then_some(word)
    }

    /// What identifies something by its name, like every word through the gate; where that changes
    /// the name, a digest keeps two apart.
    pub fn identity(&self, name: &str) -> String {
        match self.word(name) {
            Some(word) if word == name => word,
            word => {
                let digest = hex(&sha256(&[name])[..6]);
                format!("{}#{digest}", word.unwrap_or_default())
            }
        }
    }

    /// The same for a name that need not be text, such as a path.
    pub fn identity_of_bytes(&self, name: &[u8]) -> String {
        match std::str::from_utf8(name) {
            Ok(name) => self.identity(name),
            Err(_) => {
                let word = self.word(&String::from_utf8_lossy(name)).unwrap_or_default();
                let digest = sha256_of_bytes(name);
                format!("{word}#{}", digest.trim_start_matches("sha256:").split_at(12).0)
            }
        }
    }

    /// Tags: cleaned, lower-cased, sorted, unique, within the limits.
    pub fn tags<'a>(&self, raw: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let words = raw.into_iter().filter_map(|tag| self.word(tag));
        let tags = words.map(|tag| clean::cut(&tag.to_lowercase(), MAX_TAG_CHARS));
        let mut tags = sorted_unique(tags.collect());
        tags.truncate(MAX_TAGS);
        tags
    }

    /// Without its secrets, otherwise as it is: for another system's own files. Makes no
    /// [`Text`], so nothing of ours can hold it.
    pub fn redacted(&self, raw: &str) -> String {
        redact::redact(raw, &self.rules)
    }

    /// The family of the first secret in a stored text, if today's rules find one.
    pub fn finds_secret(&self, text: &str) -> Option<&str> {
        redact::first_family(text, &self.rules)
    }

    /// A block that was rendered from admitted texts, to be kept as it was shown.
    pub fn block(&self, rendered: String) -> Text {
        Text::admitted(rendered)
    }

    /// The record that a lesson was imported from, redacted. Not cleaned: it is never
    /// shown, and goes back where it came from.
    pub fn record(&self, system: &str, raw: &str) -> Text {
        Text::admitted(format!("{system}:{}", self.redacted(raw)))
    }

    fn admit(
        &self,
        text: String,
        check: impl Fn(&str) -> Result<(), Refusal>,
    ) -> Result<Text, Refusal> {
        if self.is_strict {
            check(&text)?;
        } else if text.is_empty() {
            return Err(Refusal::Empty);
        }
        Ok(Text::admitted(text))
    }

    fn cleaned(&self, raw: &str) -> String {
        // Marks and secrets could hide behind invisible characters: those go first.
        let visible = clean::without_blocks(&clean::without_steering(raw));
        clean::one_line(&self.redacted(&visible))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_one_clean_line() {
        let gate = Gate::standard();
        let text = gate.line("a\u{202e}b\u{200b}c\r\n\t d\u{7}\u{e0041}e\u{301}");
        assert_eq!(text.as_str(), "abc dé");
        assert_eq!(gate.word(" \u{1b}[31m "), Some("[31m".into()));
        assert_eq!(gate.word("\u{0}"), None);
    }

    #[test]
    fn our_own_block_is_skipped() {
        let gate = Gate::standard();
        let raw = format!("before {BLOCK_BEGIN}\n- a lesson\n{BLOCK_END} after");
        assert_eq!(gate.line(&raw).as_str(), "before after");
        let unclosed = format!("before {} - a lesson", BLOCK_BEGIN.to_uppercase());
        assert_eq!(gate.line(&unclosed).as_str(), "before");
    }

    #[test]
    fn long_findings_are_cut_and_long_statements_refused() {
        let gate = Gate::standard();
        let long = "retry loops forget back-off ".repeat(150);
        assert_eq!(gate.finding(&long).unwrap().as_str().chars().count(), MAX_TEXT_CHARS);
        let refusal = gate.statement(&long, Origin::User).unwrap_err();
        assert_eq!(refusal, Refusal::TooLong { n_chars: 4199 });
    }

    #[test]
    fn redaction_alone_keeps_the_rest() {
        let gate = Gate::standard();
        let plain = " two\nlines\u{200b}\tand a tab ";
        assert_eq!(gate.redacted(plain), plain);
        let secret = format!("a\nkey AKIA{}\nb", "IOSFODNN7QWERTYU");
        let redacted = gate.redacted(&secret);
        assert!(redacted.starts_with("a\nkey [redacted:") && redacted.ends_with("\nb"));
    }

    #[test]
    fn tags_are_normal() {
        let gate = Gate::standard();
        assert_eq!(gate.tags(["B", "a\n", "b", ""]), ["a", "b"]);
    }
}
