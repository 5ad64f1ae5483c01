//! What does the user want redacted as well, or left alone? The settings as the gate
//! needs them. Only the user's own settings have a say: a file that came with a checkout
//! could otherwise switch redaction off.

use hardwon_core::gate::redact::{self, UserRules};

use super::Settings;

const RULES: &str = "redact.rules.";
const ALLOW: &str = "redact.allow";

impl Settings {
    /// The user's redaction rules and allow list; unusable ones were reported when
    /// the settings were read.
    pub fn wishes(&self) -> UserRules {
        let rule = |(key, value): (&str, &str)| {
            key.strip_prefix(RULES).map(|name| (name.to_owned(), value.to_owned()))
        };
        let all = self.all().iter().map(|setting| (setting.key.as_str(), setting.value.as_str()));
        let allow = self.get(ALLOW).map(|setting| setting.value.clone()).unwrap_or_default();
        UserRules { rules: all.filter_map(rule).collect(), allow }
    }
}

/// Whether a setting is a rule that can be used.
pub(super) fn check_rule(key: &str, pattern: &str) -> Result<(), String> {
    let name = key.strip_prefix(RULES).unwrap_or(key);
    redact::check_rule(name, pattern).map_err(|flaw| flaw.to_string())
}

/// Whether a setting is a list of allowed texts.
pub(super) fn check_allow(_key: &str, list: &str) -> Result<(), String> {
    redact::check_allow(list).map_err(|flaw| flaw.to_string())
}
