//! Which calls did a user reject, as hosts tell it, and what did they say with it?

/// How Claude Code begins the result of a call that was rejected, and what stands before the
/// words that were said with it.
const REFUSED: [&str; 2] = [
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action",
];
const SAID: &str = "the user said:";

/// What Codex answers to a call that was not approved, and nothing else with it.
const DENIED: [&str; 4] = [
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "command rejected by user",
];

/// The words of a user who refused a call, in the words with which Claude Code passes it on:
/// `Some(None)` if nothing was said.
pub fn refused(result: &str) -> Option<Option<&str>> {
    let is_refusal = REFUSED.iter().any(|begin| result.starts_with(begin));
    let said = || result.split_once(SAID).map(|(_, said)| said.trim());
    is_refusal.then(|| said().filter(|said| !said.is_empty()))
}

/// Whether Codex says that the user did not approve a call.
pub fn is_denied(result: &str) -> bool {
    DENIED.contains(&result.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_call_may_say_why() {
        let refusal =
            |said: &str| format!("{} To tell you how to proceed, {SAID}\n{said}", REFUSED[0]);
        assert_eq!(refused(&refusal("use the api")), Some(Some("use the api")));
        assert_eq!(refused(REFUSED[0]), Some(None));
        assert_eq!(refused(&refusal("")), Some(None));
        assert_eq!(refused("Error: x"), None);
        assert_eq!(refused(&format!("cat notes.txt\n{}", REFUSED[0])), None);
        assert!(is_denied("exec command rejected by user\n"));
        assert!(!is_denied("Exit code: 0\nexec command rejected by user"));
    }
}
