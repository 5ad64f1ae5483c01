//! What a model is told of a session: an account in numbered entries, in the order of what was
//! said and done, cut by what each is worth. Pure; who asks a model, and what is made of its answer,
//! stands elsewhere.

mod digest;
mod entries;
mod fit;
mod judged;
mod pasted;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::heard::Heard;

pub use digest::{BEGIN, Digest, END, Entry, PRINTED, Shows};
pub use judged::mask;

/// Most failures of one session that are looked for among the known ones.
const MAX_FAILURES: usize = 200;

/// The digest of a session: who kept it and when it took place, and at most so many tokens.
pub fn digest(heard: &[Heard], about: &str, tokens: usize) -> Digest {
    fit::fit(entries::collect(heard, about), tokens)
}

/// One failure of a session: where it stands, what failed, and by which keys lessons may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub line: u64,
    pub command: String,
    pub keys: Vec<String>,
}

/// All failures of a session, whether they were put right or not.
pub fn failures(heard: &[Heard]) -> Vec<Failure> {
    let failed = judged::judge(heard).into_iter().filter(|call| call.red.is_some());
    let told = failed.map(|call| {
        let lines: BTreeSet<String> = call.telling().map(mask).collect();
        let of = |purpose: &String| {
            let purpose = purpose.clone();
            lines.iter().map(move |line| detector(&purpose, line))
        };
        let keys = call.purposes.iter().flat_map(of).collect();
        Failure { line: heard[call.at].line, command: call.called.action.clone(), keys }
    });
    told.take(MAX_FAILURES).collect()
}

/// By what a failure is recognized: what the call was for, and a line that it printed.
pub fn detector(purpose: &str, masked: &str) -> String {
    format!("{purpose}: {masked}")
}
