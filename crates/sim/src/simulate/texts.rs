//! Texts of the simulated world besides its defects: false alarms, and lessons
//! that do harm; and what any text of that world is about.

pub use super::defects::DEFECTS;

/// A false alarm, with the words for it.
#[derive(Debug)]
pub struct Alarm {
    pub author: &'static str,
    pub path: &'static str,
    pub wordings: [&'static str; 3],
}

/// A lesson that makes agents do the wrong thing.
#[derive(Debug)]
pub struct Harm {
    pub text: &'static str,
    /// The defect that it causes, as an index.
    pub causes: usize,
    pub came: Came,
}

/// How a harmful lesson came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// A person wished it.
    Stated,
    /// A reviewer was wrong, in several runs.
    Reported,
}

/// Roles that review; each runs in most runs.
pub const REVIEWERS: [&str; 3] = ["guardian", "sage", "trickster"];

/// How many of the last defects only a harmful lesson makes frequent.
pub const N_CAUSED: usize = 2;

pub const HARMS: [Harm; 2] = [
    Harm {
        text: "Share one lookup table across all tenants to keep memory low",
        causes: 16,
        came: Came::Stated,
    },
    Harm {
        text: "Job runner is too noisy: it should catch everything and carry on quietly",
        causes: 17,
        came: Came::Reported,
    },
];

const fn alarm(author: &'static str, path: &'static str, wordings: [&'static str; 3]) -> Alarm {
    Alarm { author, path, wordings }
}

pub const ALARMS: [Alarm; 10] = [
    alarm(
        "sage",
        "src/net/client.rs",
        [
            "Builder type looks unused and could be deleted",
            "Dead code: nobody constructs the builder any more",
            "Remove the builder, it has no callers left",
        ],
    ),
    alarm(
        "guardian",
        "src/db/query.rs",
        [
            "Connection string might be hard coded somewhere",
            "Possible embedded address of the database host",
            "Suspicious literal that resembles a host name",
        ],
    ),
    alarm(
        "trickster",
        "src/report/calendar.rs",
        [
            "Leap seconds are not handled in the schedule",
            "Schedule breaks on a day with an inserted second",
            "Leap second arithmetic appears to be wrong here",
        ],
    ),
    alarm(
        "sage",
        "src/cache/store.rs",
        [
            "Generic parameter name should be longer than one letter",
            "Single letter type variables are hard to read",
            "Spell out the type parameter instead of calling it T",
        ],
    ),
    alarm(
        "guardian",
        "src/parse/reader.rs",
        [
            "Regular expression may backtrack catastrophically",
            "Pattern in the reader could take exponential effort",
            "Denial of service through a nested quantifier seems possible",
        ],
    ),
    alarm(
        "trickster",
        "src/jobs/queue.rs",
        [
            "Integer overflow when ids exceed four billion",
            "Identifier column will wrap around at the 32 bit border",
            "Ids might overflow an unsigned integer some year",
        ],
    ),
    alarm(
        "sage",
        "src/api/list.rs",
        [
            "Module should be split because it has many functions",
            "Listing module is too large and mixes concerns",
            "Break this file into several smaller modules",
        ],
    ),
    alarm(
        "guardian",
        "src/web/upload.rs",
        [
            "Content type of attachments may be spoofed by old browsers",
            "Legacy browsers sniff the media type of the attachment",
            "Media type sniffing could be abused in ancient browsers",
        ],
    ),
    alarm(
        "trickster",
        "src/server/handler.rs",
        [
            "Stack depth of the middleware chain may be exceeded",
            "Deeply nested middleware risks a stack overflow",
            "Recursion in the middleware looks unlimited",
        ],
    ),
    alarm(
        "sage",
        "src/billing/sum.rs",
        [
            "Magic number nineteen should be a named constant",
            "Tax rate appears as a bare literal in the formula",
            "Give the literal percentage in the formula a name",
        ],
    ),
];

/// What a text is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Defect(usize),
    Alarm(usize),
    Harm(usize),
}

/// What a text of this world is about; `None` for one of no other.
pub fn subject(text: &str) -> Option<Subject> {
    let defect = DEFECTS.iter().position(|defect| defect.wordings.contains(&text));
    let alarm = || ALARMS.iter().position(|alarm| alarm.wordings.contains(&text));
    let harm = || HARMS.iter().position(|harm| harm.text == text);
    let defect = defect.map(Subject::Defect);
    defect.or_else(|| alarm().map(Subject::Alarm)).or_else(|| harm().map(Subject::Harm))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hardwon_core::gate::Gate;

    use super::*;

    fn all() -> impl Iterator<Item = &'static str> {
        let defects = DEFECTS.iter().flat_map(|defect| defect.wordings);
        let alarms = ALARMS.iter().flat_map(|alarm| alarm.wordings);
        defects.chain(alarms).chain(HARMS.iter().map(|harm| harm.text))
    }

    /// Lessons are recognized by their text, so the gate must leave it alone.
    #[test]
    fn every_text_is_its_own_and_passes_the_gate_unchanged() {
        let gate = Gate::standard();
        for text in all() {
            assert_eq!(gate.finding(text).map(|text| text.to_string()), Ok(text.to_owned()));
            assert!(subject(text).is_some());
        }
        assert_eq!(all().collect::<BTreeSet<_>>().len(), all().count());
    }

    #[test]
    fn harms_cause_the_last_defects() {
        let caused: BTreeSet<usize> = HARMS.iter().map(|harm| harm.causes).collect();
        assert_eq!(caused, (DEFECTS.len() - N_CAUSED..DEFECTS.len()).collect());
    }
}
