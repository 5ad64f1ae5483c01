//! Who is meant? geas's schemas know fifteen types of agents; its table of reviewers names slots,
//! which the profile of a project fills. Read is either, written are types.

/// Who decides and writes where nobody else is known.
pub(super) const ORCHESTRATOR: &str = "orchestration_authority";

const TYPES: [&str; 15] = [
    ORCHESTRATOR,
    "product_authority",
    "design_authority",
    "challenger",
    "software_engineer",
    "qa_engineer",
    "security_engineer",
    "platform_engineer",
    "technical_writer",
    "literature_analyst",
    "research_analyst",
    "methodology_reviewer",
    "research_integrity_reviewer",
    "research_writer",
    "research_engineer",
];

/// Slots, as the profiles `software` and `research` fill them.
const SLOTS: [(&str, &str, &str); 5] = [
    ("risk_specialist", "security_engineer", "research_integrity_reviewer"),
    ("quality_specialist", "qa_engineer", "methodology_reviewer"),
    ("communication_specialist", "technical_writer", "research_writer"),
    ("operations_specialist", "platform_engineer", "research_engineer"),
    ("implementer", "software_engineer", "research_analyst"),
];

/// The type that is written for a role. A name in neither list is the orchestrator.
pub(super) fn agent_type(role: &str, profile: &str) -> &'static str {
    known_type(role, profile).unwrap_or(ORCHESTRATOR)
}

/// A role by the one name that it has here: its type if it is one of geas's, else its own.
pub(super) fn role_name(role: &str, profile: &str) -> String {
    known_type(role, profile).map_or_else(|| spelled(role), str::to_owned)
}

/// The first type or slot that a text names.
pub(super) fn type_named_in(text: &str, profile: &str) -> Option<&'static str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
    words.into_iter().find_map(|word| known_type(word, profile))
}

/// `_` and `-` are the same in names.
fn spelled(role: &str) -> String {
    role.trim().to_lowercase().replace('-', "_")
}

/// The type of a role, if geas has it.
pub(super) fn known_type(role: &str, profile: &str) -> Option<&'static str> {
    let role = spelled(role);
    let slot = SLOTS.iter().find(|(slot, ..)| *slot == role);
    let slot = slot.map(|slot| if profile == "research" { slot.2 } else { slot.1 });
    slot.or_else(|| TYPES.iter().copied().find(|known| *known == role))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_written_as_types() {
        for (role, wanted) in [
            ("risk_specialist", "security_engineer"),
            ("qa-engineer", "qa_engineer"),
            ("Challenger", "challenger"),
            ("process_lead", ORCHESTRATOR),
            ("", ORCHESTRATOR),
        ] {
            assert_eq!(agent_type(role, ""), wanted, "{role}");
        }
        assert_eq!(agent_type("implementer", "research"), "research_analyst");
        assert_eq!(role_name("QA-Engineer", ""), "qa_engineer");
        assert_eq!(role_name("frontend-dev", ""), "frontend_dev");
        assert_eq!(type_named_in("As qa-engineer, rerun it", ""), Some("qa_engineer"));
        assert_eq!(type_named_in("Somebody reruns it", ""), None);
        assert!(SLOTS.iter().all(|it| TYPES.contains(&it.1) && TYPES.contains(&it.2)));
    }
}
