//! Who works together on a project, what each of them may do, and by which tokens they are known. A
//! token is kept as its digest; who has the store does not have the tokens.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;
use crate::vocabulary;

/// How long a name may be.
const MAX_NAME: usize = 64;

/// Names of the journal that are nobody's.
const TAKEN: &[&str] = &["user", "agent", "page", "http", "script"];

/// The digits of a digest by which a token is named.
const ID_CHARS: usize = 10;

vocabulary! {
    /// What a member may do; each may do what those before it may.
    Role {
        /// Look, and ask for blocks.
        Reader = "reader",
        /// Report what happened: runs, outcomes, findings, lessons to be looked at.
        Writer = "writer",
        /// Decide about lessons.
        Reviewer = "reviewer",
        /// See to the team and its store.
        Admin = "admin",
    }
}

/// Somebody who works on a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub name: String,
    pub role: Role,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<Token>,
}

/// What a member is known by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// `sha256:` and the digest of the token, in hexadecimal.
    pub digest: String,
    pub made_at: Timestamp,
    /// It is not good any more from then on.
    pub until: Timestamp,
    /// Whether it speaks as the member; else as a script of theirs, which has no wishes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_person: bool,
}

/// The members of a project, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    pub members: Vec<Member>,
}

/// A member who asks, by a token, for something that needs a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub member: String,
    pub role: Role,
    /// Of the token.
    pub digest: String,
    pub needs: Role,
}

/// Why somebody may not, or why a team is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("this project has no team")]
    NoTeam,
    #[error("this project has a team already")]
    IsTeam,
    #[error("memory in files of another system has no team")]
    Foreign,
    #[error("this token is not known, or was revoked")]
    UnknownToken,
    #[error("this token has expired on {at}")]
    Expired { at: Timestamp },
    #[error("{name} is {role} of this project; that needs a {needs}")]
    Role { name: String, role: Role, needs: Role },
    #[error("{name} is no member of this project")]
    NoMember { name: String },
    #[error("{name} is a member already")]
    IsMember { name: String },
    #[error("a name begins with a letter or a digit and has letters, digits, . _ - @ and +")]
    BadName,
    #[error("no member and no token is called {id}")]
    NoToken { id: String },
}

impl Token {
    /// What it is called in lists, and where it is revoked.
    pub fn id(&self) -> &str {
        let hex = self.digest.strip_prefix("sha256:").unwrap_or(&self.digest);
        &hex[..ID_CHARS.min(hex.len())]
    }
}

impl Team {
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Those who may decide.
    pub fn reviewers(&self) -> Vec<String> {
        let may = self.members.iter().filter(|member| member.role >= Role::Reviewer);
        may.map(|member| member.name.clone()).collect()
    }

    /// Whose token this is, if it is good now and its member may do what needs this role.
    pub fn admit(
        &self,
        digest: &str,
        needs: Role,
        now: Timestamp,
    ) -> Result<(&Member, &Token), Refusal> {
        let all = self.members.iter().flat_map(|one| one.tokens.iter().map(move |it| (one, it)));
        let (member, token) =
            all.into_iter().find(|(_, it)| it.digest == digest).ok_or(Refusal::UnknownToken)?;
        if now >= token.until {
            return Err(Refusal::Expired { at: token.until });
        }
        if member.role < needs {
            let name = member.name.clone();
            return Err(Refusal::Role { name, role: member.role, needs });
        }
        Ok((member, token))
    }

    /// The same with one more member.
    pub fn with_member(mut self, name: &str, role: Role) -> Result<Team, Refusal> {
        if !is_name(name) {
            return Err(Refusal::BadName);
        }
        if self.member(name).is_some() {
            return Err(Refusal::IsMember { name: name.to_owned() });
        }
        self.members.push(Member { name: name.to_owned(), role, tokens: Vec::new() });
        self.members.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(self)
    }

    /// The same without this member, whose tokens are good no more.
    pub fn without_member(mut self, name: &str) -> Result<Team, Refusal> {
        self.find(name)?;
        self.members.retain(|member| member.name != name);
        Ok(self)
    }

    pub fn with_role(mut self, name: &str, role: Role) -> Result<Team, Refusal> {
        self.find(name)?.role = role;
        Ok(self)
    }

    /// The same with one more token; those that have expired go.
    pub fn with_token(mut self, name: &str, token: Token) -> Result<Team, Refusal> {
        let member = self.find(name)?;
        member.tokens.retain(|known| known.until > token.made_at);
        member.tokens.push(token);
        Ok(self)
    }

    /// The same without the token of this id, or without all tokens of a member.
    pub fn without_token(mut self, name: &str) -> Result<Team, Refusal> {
        if let Ok(member) = self.find(name) {
            member.tokens.clear();
            return Ok(self);
        }
        let is_meant = |token: &Token| token.id() == name;
        if !self.members.iter().any(|member| member.tokens.iter().any(is_meant)) {
            return Err(Refusal::NoToken { id: name.to_owned() });
        }
        for member in &mut self.members {
            member.tokens.retain(|token| !is_meant(token));
        }
        Ok(self)
    }

    fn find(&mut self, name: &str) -> Result<&mut Member, Refusal> {
        let found = self.members.iter_mut().find(|member| member.name == name);
        found.ok_or_else(|| Refusal::NoMember { name: name.to_owned() })
    }
}

/// A name that can be typed, and that is no agent's, script's or other part's of ours.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-@+".contains(c);
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    let is_short = name.chars().count() <= MAX_NAME;
    begins && is_short && name.chars().all(is_plain) && !TAKEN.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(digest: &str, until: i64) -> Token {
        let digest = digest.to_owned();
        Token { digest, made_at: Timestamp(0), until: Timestamp(until), is_person: false }
    }

    fn team() -> Team {
        let team = Team::default().with_member("cy", Role::Admin).unwrap();
        let team = team.with_member("ann", Role::Writer).unwrap();
        team.with_token("ann", token("aaaaaaaaaaaaaaaa", 10)).unwrap()
    }

    #[test]
    fn each_role_may_what_those_before_it_may() {
        let roles: Vec<Role> = Role::ALL.to_vec();
        for (n, held) in roles.iter().enumerate() {
            let team = team().with_role("ann", *held).unwrap();
            for (m, needs) in roles.iter().enumerate() {
                let admitted = team.admit("aaaaaaaaaaaaaaaa", *needs, Timestamp(1));
                assert_eq!(admitted.is_ok(), m <= n, "{held} for {needs}");
            }
        }
        assert_eq!(team().reviewers(), ["cy"]);
        assert_eq!(token("sha256:0123456789abcdef", 1).id(), "0123456789");
    }

    #[test]
    fn a_token_is_good_until_it_expires_or_is_revoked() {
        let now = Timestamp(9);
        let admit = |team: &Team, at| {
            team.admit("aaaaaaaaaaaaaaaa", Role::Reader, at).map(|(member, _)| member.name.clone())
        };
        assert_eq!(admit(&team(), now).unwrap(), "ann");
        assert_eq!(admit(&team(), Timestamp(10)), Err(Refusal::Expired { at: Timestamp(10) }));
        assert_eq!(team().admit("b", Role::Reader, now).unwrap_err(), Refusal::UnknownToken);
        for name in ["aaaaaaaaaa", "ann"] {
            let revoked = team().without_token(name).unwrap();
            assert_eq!(admit(&revoked, now), Err(Refusal::UnknownToken), "{name}");
        }
        let gone = team().without_member("ann").unwrap();
        assert_eq!(admit(&gone, now), Err(Refusal::UnknownToken));
        let id = "nobody".to_owned();
        assert_eq!(team().without_token("nobody").unwrap_err(), Refusal::NoToken { id });
    }

    #[test]
    fn expired_tokens_go_with_the_next_one() {
        let new = Token { made_at: Timestamp(10), ..token("b", 99) };
        let team = team().with_token("ann", new).unwrap();
        assert_eq!(team.member("ann").unwrap().tokens.len(), 1);
    }

    #[test]
    fn a_name_cannot_be_taken_for_somebody_else() {
        for good in ["ann", "ann@example.com", "Zoë", "a.b-c_d+e", "4tune"] {
            assert!(Team::default().with_member(good, Role::Reader).is_ok(), "{good}");
        }
        let long = "a".repeat(65);
        for bad in
            ["", " ", "agent", "agent x", "script of ann", "user", "-a", "a\nb", "a/b", &long]
        {
            assert!(Team::default().with_member(bad, Role::Reader).is_err(), "{bad:?}");
        }
        assert!(team().with_member("ann", Role::Admin).is_err(), "twice");
    }
}
