//! Who works together on a project: members come and go, get roles, and tokens to be known by.

use hardwon_core::project::Project;
use hardwon_core::team::{Member, Refusal, Role, Team, Token};
use hardwon_render::answer::{Answer, MemberLine, TeamShown, Time, TokenLine, TokenMade, Word};

use crate::described::{described, edit};
use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::foreign_system;
use crate::seat::of;
use crate::write::{Command, write};

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// The members of a project, and by which tokens they are known.
pub fn list(memory: &Memory, call: &Call) -> Result<Answer<TeamShown>> {
    let team = of(memory, call)?;
    let is_empty = team.is_none();
    let members = team.iter().flat_map(|team| &team.members);
    let members = members.map(|member| line(member, call)).collect();
    Ok(Answer::of(TeamShown { project: call.project.to_string(), members }, Vec::new())
        .or_empty(is_empty))
}

fn line(member: &Member, call: &Call) -> MemberLine {
    let token = |token: &Token| TokenLine {
        id: token.id().to_owned(),
        made_at: Time(token.made_at),
        until: Time(token.until),
        is_person: token.is_person,
        is_expired: call.now >= token.until,
    };
    let tokens = member.tokens.iter().map(token).collect();
    MemberLine { name: member.name.clone(), role: Word(member.role), tokens }
}

/// Makes a team of one, who sees to it.
pub fn create(memory: &mut Memory, call: &Call, admin: &str) -> Result<Answer<TeamShown>> {
    write_team(memory, call, "team create", &|team| match team {
        Some(_) => Err(Refusal::IsTeam),
        None => Team::default().with_member(admin, Role::Admin),
    })?;
    list(memory, call)
}

/// Changes a team that is there.
pub fn change(
    memory: &mut Memory,
    call: &Call,
    command: &str,
    change: &dyn Fn(Team) -> Result<Team, Refusal>,
) -> Result<Answer<TeamShown>> {
    write_team(memory, call, command, &|team| change(team.ok_or(Refusal::NoTeam)?))?;
    list(memory, call)
}

/// A token to be made. What it is, nobody but its member gets to know.
#[derive(Clone, Debug)]
pub struct TokenRequest<'a> {
    pub name: &'a str,
    pub secret: &'a str,
    pub days: u32,
    pub is_person: bool,
}

pub fn make_token(
    memory: &mut Memory,
    call: &Call,
    request: &TokenRequest<'_>,
) -> Result<Answer<TokenMade>> {
    let made_at = call.now;
    let mut until = made_at;
    until.0 += i64::from(request.days.max(1)) * DAY;
    let digest = hardwon_core::digest::sha256_of_bytes(request.secret.as_bytes());
    let is_person = request.is_person;
    let token = Token { digest, made_at, until, is_person };
    change(memory, call, "team token create", &|team| {
        team.with_token(request.name, token.clone())
    })?;
    let made = TokenMade {
        token: request.secret.to_owned(),
        id: token.id().to_owned(),
        member: request.name.to_owned(),
        until: Time(until),
        is_person,
    };
    Ok(Answer::of(made, Vec::new()))
}

fn write_team(
    memory: &mut Memory,
    call: &Call,
    command: &str,
    change: &dyn Fn(Option<Team>) -> Result<Team, Refusal>,
) -> Result<()> {
    call.needs_person("seeing to a team")?;
    if foreign_system(&memory.settings).is_some() {
        return Err(EngineError::NotAllowed(Refusal::Foreign));
    }
    let command = Command::new(command);
    write(memory, call, &command, &mut |memory, _| {
        let before = described(memory, &call.project)?;
        let team = change(before.team.clone()).map_err(EngineError::NotAllowed)?;
        let after = Project { team: Some(team), ..before.clone() };
        Ok((edit(before, after).into_iter().collect(), ()))
    })
    .map(drop)
}
