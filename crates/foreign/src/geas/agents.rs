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

/// Slots, as the profile `software` fills them.
const SOFTWARE: [(&str, &str); 5] = [
    ("risk_specialist", "security_engineer"),
    ("quality_specialist", "qa_engineer"),
    ("communication_specialist", "technical_writer"),
    ("operations_specialist", "platform_engineer"),
    ("implementer", "software_engineer"),
];

/// The type that is written for a role. A name in neither list is the orchestrator.
pub(super) fn agent_type(role: &str) -> &'static str {
    let role = role.trim().to_lowercase().replace('-', "_");
    let slot = SOFTWARE.iter().find(|(slot, _)| *slot == role).map(|(_, of_slot)| *of_slot);
    let own = || TYPES.iter().copied().find(|known| *known == role);
    slot.or_else(own).unwrap_or(ORCHESTRATOR)
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
            assert_eq!(agent_type(role), wanted, "{role}");
        }
        assert!(SOFTWARE.iter().all(|(_, of_slot)| TYPES.contains(of_slot)));
    }
}
