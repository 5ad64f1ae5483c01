//! What is removed permanently, and what remains as a record of it. An erasure names texts
//! and words by their digests and never contains them; it is the one change that also
//! changes old journal entries. A tombstone prevents an erased lesson from coming back.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::digest::{base32, hex, sha256};
use crate::finding::Finding;
use crate::ids::{LessonId, ProjectId};
use crate::lesson::{Kind, Lesson};
use crate::text::{Text, TextId};
use crate::time::Timestamp;

use super::words::{FORGOTTEN_BY, Worded};
use super::{Change, Entry, LessonField};

/// What replaces an erased word; an erased text prints the same.
pub const ERASED: &str = "[erased]";

/// What is to be erased: every occurrence, in rows and in the journal, of any project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    pub lesson: LessonId,
    /// Whether the lesson was global: then the history of every project shows the erasure.
    pub is_global: bool,
    /// Texts whose bodies are removed.
    pub texts: BTreeSet<TextId>,
    /// Short fields that carried the text, by digest.
    pub words: BTreeSet<String>,
    /// Whether tags, files and reasons of the lesson are removed as well. Older erasures did
    /// not do that, and have to replay as they were.
    #[serde(rename = "takes_said", default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_remarks: bool,
}

impl Erasure {
    /// The digest by which `words` names a short field.
    pub fn digest_of(word: &str) -> String {
        hex(&sha256(&["word", word])[..16])
    }

    /// Removes what is to be erased from a row or a change. Says whether there was any.
    pub fn strike(&self, thing: &mut impl Worded) -> bool {
        let mut is_struck = false;
        thing.for_each_text(&mut |text| {
            if self.texts.contains(text.id()) {
                *text = Text::erased();
                is_struck = true;
            }
        });
        if !self.words.is_empty() {
            thing.for_each_word(&mut |word| {
                if self.words.contains(&Erasure::digest_of(word)) {
                    *word = ERASED.to_owned();
                    is_struck = true;
                }
            });
        }
        if self.takes_remarks {
            thing.for_each_remark(&self.lesson, &mut |word| {
                if word != ERASED && !word.is_empty() {
                    *word = ERASED.to_owned();
                    is_struck = true;
                }
            });
        }
        is_struck
    }
}

/// What remains of an erased lesson. It holds digests only: it can recognize the erased
/// text, and nothing more. A guess of that text can be confirmed with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    pub lesson: LessonId,
    /// `None` = it was a global lesson.
    pub project: Option<ProjectId>,
    pub kind: Kind,
    /// Of every wording that the lesson had, and of the findings that were recognized as it.
    pub texts: BTreeSet<String>,
    /// Of the signatures it was recognized by.
    pub signatures: BTreeSet<String>,
    pub at: Timestamp,
    pub by: String,
}

impl Tombstone {
    /// The mark of a lesson with all its wordings and evidence.
    pub fn of(
        lesson: &Lesson,
        evidence: &[Finding],
        wordings: &BTreeSet<String>,
        at: Timestamp,
        by: &str,
    ) -> Self {
        let seen = evidence.iter().filter_map(|finding| finding.text.body());
        let wordings = wordings.iter().map(String::as_str);
        let signatures = evidence.iter().map(|finding| &finding.signature);
        let signatures = signatures.chain(&lesson.signatures).filter(|s| !s.is_empty());
        Tombstone {
            lesson: lesson.id.clone(),
            project: lesson.project.clone(),
            kind: lesson.kind,
            texts: seen.chain(wordings).map(Tombstone::digest_of).collect(),
            signatures: signatures.map(|s| Tombstone::digest_of_signature(s)).collect(),
            at,
            by: by.to_owned(),
        }
    }

    /// The digest of a text; case, spacing and a final full stop make no difference.
    ///
    /// ```
    /// use hardwon_core::change::Tombstone;
    /// assert_eq!(Tombstone::digest_of("Never  do this."), Tombstone::digest_of("never do this"));
    /// assert_ne!(Tombstone::digest_of("never do this"), Tombstone::digest_of("always do this"));
    /// ```
    pub fn digest_of(text: &str) -> String {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let plain = words.join(" ");
        let plain = plain.trim_end_matches(['.', '!', '?', ' ']);
        format!("d-{}", &base32(&sha256(&["forgotten", plain]))[..26])
    }

    pub fn digest_of_signature(signature: &str) -> String {
        format!("g-{}", &base32(&sha256(&["signature", signature]))[..26])
    }

    pub fn covers(&self, finding: &Finding) -> bool {
        finding.lesson.as_ref() == Some(&self.lesson)
            || self.covers_text(finding.text.as_str())
            || self.covers_signature(&finding.signature)
    }

    pub fn covers_text(&self, text: &str) -> bool {
        self.texts.contains(&Tombstone::digest_of(text))
    }

    /// An empty signature is never covered.
    pub fn covers_signature(&self, signature: &str) -> bool {
        !signature.is_empty()
            && self.signatures.contains(&Tombstone::digest_of_signature(signature))
    }
}

/// The changes that erase a lesson and leave its mark, united with the one that it has already.
pub fn erasing(
    lesson: &Lesson,
    mut mark: Tombstone,
    known: &[Tombstone],
    erasure: Erasure,
) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let is_it = |mark: &&Tombstone| (&mark.lesson, &mark.project) == (&lesson.id, &lesson.project);
    if let Some(old) = known.iter().find(is_it) {
        mark.texts.extend(old.texts.iter().cloned());
        mark.signatures.extend(old.signatures.iter().cloned());
        changes.push(Change::RemoveTombstone { tombstone: old.clone() });
    }
    let because = format!("{FORGOTTEN_BY}{}", mark.by);
    changes.extend([
        Change::RemoveLesson { lesson: Box::new(lesson.clone()), because },
        Change::AddTombstone { tombstone: mark },
        Change::Erase { erasure },
    ]);
    changes
}

/// Every wording that a lesson ever had, and the records it was imported from.
pub fn every_wording(lesson: &Lesson, journal: &[Entry]) -> (BTreeSet<String>, Vec<TextId>) {
    let mut wordings: BTreeSet<String> =
        lesson.text.body().map(str::to_owned).into_iter().collect();
    let mut records: Vec<TextId> = lesson.extra.iter().map(|text| text.id().clone()).collect();
    for entry in journal {
        match &entry.change {
            Change::AddLesson { lesson, .. } | Change::RemoveLesson { lesson, .. } => {
                wordings.extend(lesson.text.body().map(str::to_owned));
                records.extend(lesson.extra.iter().map(|text| text.id().clone()));
            }
            Change::EditLesson { fields, .. } => {
                for field in fields {
                    if let LessonField::Text(swap) = field {
                        let both = [&swap.from, &swap.to].into_iter();
                        wordings.extend(both.filter_map(|text| text.body()).map(str::to_owned));
                    }
                    if let LessonField::Extra(swap) = field {
                        let both = swap.from.iter().chain(&swap.to);
                        records.extend(both.map(|text| text.id().clone()));
                    }
                }
            }
            _ => {}
        }
    }
    (wordings, records)
}

/// What was stated about a lesson besides its text, now or ever.
pub fn stated_about(
    lesson: &LessonId,
    evidence: &[Finding],
    journal: Vec<Entry>,
) -> BTreeSet<String> {
    let mut about = BTreeSet::new();
    let mut note = |word: &mut String| {
        about.insert(word.clone());
    };
    for mut finding in evidence.iter().cloned() {
        finding.for_each_remark(lesson, &mut note);
    }
    for mut entry in journal {
        entry.change.for_each_remark(lesson, &mut note);
    }
    about
}
