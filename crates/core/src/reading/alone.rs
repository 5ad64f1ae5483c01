//! Is one session enough to show what it taught? Only where it was seen to fail and then to work,
//! by nothing but what the lesson names; all else waits for a second session, or for a person.

use super::told::{Read, Taken, Told, command, needs_yes};
use crate::command::parted::parted;
use crate::list;
use crate::session::{Digest, Entry, Shows};

/// Subcommands that bring in what the project did not have.
const FETCHING: &[&str] = list!("session.txt", "bringing in");
/// Flags that name where things come from.
const ELSEWHERE: &[&str] = list!("session.txt", "from elsewhere");
/// Words by which a person says that something holds from now on.
const GENERAL: &[&str] = list!("session.txt", "in general");

/// Why a lesson waits; nothing if it may be shown now.
pub(super) fn waits(told: Told, read: &Read, digest: &Digest, taken: &Taken) -> Vec<String> {
    let mut waits: Vec<String> = needs_yes(taken).into_iter().collect();
    match told {
        Told::Fact => waits.push("a fact is shown after a second session".to_owned()),
        Told::Wish => {
            let said = format!(" {} ", taken.quote.to_lowercase());
            let is_general = GENERAL.iter().any(|words| said.contains(words));
            waits.extend(
                (!is_general).then(|| "its words do not say that it holds in general".to_owned()),
            );
        }
        Told::Trap | Told::How => waits.extend(repair(told, read, digest).err().map(str::to_owned)),
    }
    let is_open = digest.is_foreign && told != Told::Wish;
    waits.extend(is_open.then(|| "the session read pages or other servers' answers".to_owned()));
    waits
}

/// Whether the session shows that it failed, and that nothing but the right way ended that.
fn repair(told: Told, read: &Read, digest: &Digest) -> Result<(), &'static str> {
    let works = read.works.as_ref().map(|it| it.entry);
    let worked = works.and_then(|at| digest.entry(at)).ok_or("nothing was seen to work")?;
    let number = works.unwrap_or_default();
    let is_green = matches!(worked.shows, Shows::Worked | Shows::Check);
    if !is_green || worked.is_hidden {
        return Err("how the repair ended is not known");
    }
    let is_failed = |entry: &Entry| {
        entry.shows == Shows::Failed && !entry.purposes.is_disjoint(&worked.purposes)
    };
    let named = read.failed.as_ref().map(|it| it.entry);
    let named = named
        .or_else(|| worked.ends.first().map(|n| *n as u64))
        .filter(|_| told == Told::How || read.failed.is_some());
    let failed = named.and_then(|at| Some((at, digest.entry(at)?))).filter(|(_, it)| is_failed(it));
    let (at, failed) = failed.ok_or("it was not seen to fail")?;
    let (wrong, right) = (command(failed), command(worked));
    let between = (at..number.saturating_sub(1)).filter_map(|n| digest.entry(n + 1));
    let n_edited =
        between.filter(|it| it.shows == Shows::Edits).map(|it| it.action.lines().count());
    let n_edited: usize = n_edited.sum();
    let brings_in = |line: &str| {
        let words = parted(line).into_iter().flat_map(|part| part.words);
        words.into_iter().any(|word| {
            let is_elsewhere =
                word.contains("://") || ELSEWHERE.iter().any(|it| word.starts_with(it));
            FETCHING.contains(&word.as_str()) || is_elsewhere && !wrong.contains(&word)
        })
    };
    let later = digest.entries.iter().skip(usize::try_from(number).unwrap_or(usize::MAX));
    let is_refused = later.filter(|it| it.shows == Shows::Refused).any(|it| command(it) == right);
    match () {
        () if number < at => Err("it worked before it failed"),
        () if wrong == right && n_edited == 0 => Err("the same call again is no repair"),
        () if n_edited > usize::from(wrong == right) => {
            Err("other things were changed before it worked")
        }
        () if brings_in(&right) => Err("it brings in what the project did not have"),
        () if is_refused => Err("the user refused it later"),
        () => Ok(()),
    }
}
