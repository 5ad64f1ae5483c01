//! `team`: members with what they are known by, and a token that was just made.

use super::columns::hanging;
use crate::answer::{MemberLine, Shared, TeamShown, TokenLine, TokenMade};

pub fn team(team: &TeamShown, width: usize) -> String {
    if team.members.is_empty() {
        let none = "nobody is named: whoever has the store may do everything";
        return hanging("", &format!("{}: {none}", team.project), width);
    }
    team.members.iter().map(|member| lines(member, width)).collect()
}

fn lines(member: &MemberLine, width: usize) -> String {
    let mut text = hanging("", &format!("{}  {}", member.name, member.role.0), width);
    for token in &member.tokens {
        text += &hanging("    ", &of_token(token), width);
    }
    text
}

fn of_token(token: &TokenLine) -> String {
    let voice = if token.is_person { "as the person" } else { "as a script" };
    let until = token.until.0.date();
    let good = if token.is_expired { "expired on" } else { "good until" };
    format!("token {} {voice}, {good} {until}", token.id)
}

/// `team token create`.
pub fn token_made(made: &TokenMade, width: usize) -> String {
    let voice = match made.is_person {
        true => format!("speaks as {}", made.member),
        false => format!("speaks as a script of {}", made.member),
    };
    let until = made.until.0.date();
    let told = format!(
        "It {voice} until {until}. It is shown this once and not kept; `hardwon config team token revoke {}` \
         ends it.",
        made.id
    );
    format!("{}\n{}", made.token, hanging("", &told, width))
}

pub fn shared(shared: &Shared, width: usize) -> String {
    let told = match (shared.n_new, shared.n_known) {
        (0, 0) => "nothing was taken".to_owned(),
        (0, n) => format!("{n} known there already"),
        (n, 0) => format!("{n} proposed; a reviewer decides there"),
        (n, known) => {
            format!("{n} proposed, {known} known there already; a reviewer decides there")
        }
    };
    hanging("", &format!("{}: {told}", shared.to), width)
}
