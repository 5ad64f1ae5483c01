//! How strong is what a reflection found, and what is it recognized by?

use super::Pattern;
use crate::finding::{Grade, Severity};
use crate::lesson::Origin;
use crate::signature::of_fingerprint;

/// What a candidate is recognized by.
pub fn signature_of(pattern: Pattern, key: &str) -> String {
    of_fingerprint(&format!("{pattern}/{key}"))
}

/// What was run and failed is execution, unless only the agent itself says so.
pub fn grade(channel: Origin, is_witnessed: bool) -> Option<Grade> {
    match channel {
        Origin::User | Origin::Reviewer => Some(Grade::Executed),
        Origin::Agent if is_witnessed => Some(Grade::Executed),
        Origin::Agent | Origin::Import | Origin::Team => None,
    }
}

/// How bad a finding of this importance is.
pub fn severity(importance: f64) -> Severity {
    if importance >= 0.8 { Severity::Bug } else { Severity::Warning }
}
