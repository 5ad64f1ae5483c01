//! May somebody who comes with a token do what they want? That is asked at the door, and once more
//! inside every write, so that a token that is revoked in the middle of a request writes nothing any
//! more.

use hardwon_core::project::Project;
use hardwon_core::team::{Refusal, Role, Seat, Team};
use hardwon_core::voice::{Speaker, Voice};

use crate::described::described;
use crate::memory::{Call, EngineError, Memory, Result};

/// The team of this call's project, if it has one.
pub(crate) fn of(memory: &Memory, call: &Call) -> Result<Option<Team>> {
    Ok(described(memory, &call.project)?.team)
}

/// Whether the project names the people who work on it.
pub fn has_team(memory: &Memory, call: &Call) -> Result<bool> {
    Ok(of(memory, call)?.is_some())
}

/// The same call by the member whose token this is, if they may do what needs this role.
pub fn admit(memory: &Memory, call: &Call, digest: &str, needs: Role) -> Result<Call> {
    let team = of(memory, call)?.ok_or(EngineError::NotAllowed(Refusal::NoTeam))?;
    let (member, token) = team.admit(digest, needs, call.now).map_err(EngineError::NotAllowed)?;
    let (voice, actor) = match token.is_person {
        true => (Voice::Person, member.name.clone()),
        false => (Voice::Script, format!("script of {}", member.name)),
    };
    let digest = digest.to_owned();
    let seat = Seat { member: member.name.clone(), role: member.role, digest, needs };
    let speaker = Speaker { voice, ..Speaker::default() };
    Ok(Call { seat: Some(seat), ..call.speaking(speaker, &actor) })
}

/// Whether the caller may still do what they were let in for.
pub(crate) fn recheck(memory: &Memory, call: &Call) -> Result<()> {
    let Some(seat) = &call.seat else { return Ok(()) };
    admit(memory, call, &seat.digest, seat.needs).map(drop)
}

/// Whether a project is one of those that this caller may look at.
pub(crate) fn is_open_to(call: &Call, project: &Project) -> bool {
    let Some(seat) = &call.seat else { return true };
    let team = project.team.as_ref();
    team.is_some_and(|team| team.admit(&seat.digest, Role::Reader, call.now).is_ok())
}
