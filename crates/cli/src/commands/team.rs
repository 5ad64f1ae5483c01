//! `hardwon config team`

use clap::{Args, Subcommand};
use hardwon_engine::people::Role;
use hardwon_engine::team::{self, Deed, TokenRequest};
use hardwon_faces::Failure;
use hardwon_faces::serve::new_token;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Name the people who work on a project, what each may do, and their tokens
///
/// For `hardwon serve --team`: whoever comes with a token may do what the role of its member says,
/// in this project. Changes nothing for those who use the store themselves. docs/team.md
#[derive(Args)]
pub struct TeamArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Make a team for the project, with one member who is its admin
    Create {
        /// The name of that member [default: yours]
        #[arg(long, value_name = "NAME")]
        admin: Option<String>,
    },
    /// Add and remove members
    #[command(subcommand)]
    Member(MemberDeed),
    /// Change what a member may do
    Role {
        name: String,
        /// reader, writer, reviewer or admin; each may do what those before it may
        #[arg(value_parser = role)]
        role: Role,
    },
    /// Make and revoke tokens
    #[command(subcommand)]
    Token(TokenDeed),
    /// Members, roles, and which tokens are good until when
    List,
}

#[derive(Subcommand)]
enum MemberDeed {
    /// Add a member
    Add {
        name: String,
        /// reader, writer, reviewer or admin; each may do what those before it may
        #[arg(long, default_value = "reader", value_parser = role)]
        role: Role,
    },
    /// Remove a member, and with it its tokens
    Remove { name: String },
}

#[derive(Subcommand)]
enum TokenDeed {
    /// Make a token for a member, and show it this once
    ///
    /// Only its digest is kept. It is good for this project.
    Create {
        /// The member whose it is
        name: String,
        /// How long it is good
        #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3650))]
        days: u32,
        /// Let it speak as the member; else it speaks as a script, which reports and decides nothing
        #[arg(long)]
        as_person: bool,
    },
    /// End a token, by its id, or all tokens of a member, by name: at once, also in the middle of a
    /// request
    Revoke {
        #[arg(value_name = "ID|NAME")]
        name: String,
    },
}

fn role(word: &str) -> Result<Role, String> {
    Role::from_word(word).ok_or_else(|| "a role is reader, writer, reviewer or admin".to_owned())
}

impl TeamArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let deed = match self.what {
            What::List => {
                let open = context.reader()?;
                let answer = team::list(&open.memory, &open.call)?;
                return context.print(&open, answer, text::team);
            }
            What::Create { admin } => {
                let own = context.environment.user.clone();
                let admin = admin.or(own).ok_or_else(|| {
                    Failure::usage("your name is not known", Some("add --admin NAME"))
                })?;
                let mut open = context.writer()?;
                let answer = team::create(&mut open.memory, &open.call, &admin)?;
                return context.print(&open, answer, text::team);
            }
            What::Token(TokenDeed::Create { name, days, as_person }) => {
                return make_token(context, &name, days, as_person);
            }
            What::Token(TokenDeed::Revoke { name }) => Deed::RevokeToken { name },
            What::Member(MemberDeed::Add { name, role }) => Deed::AddMember { name, role },
            What::Member(MemberDeed::Remove { name }) => Deed::RemoveMember { name },
            What::Role { name, role } => Deed::SetRole { name, role },
        };
        let mut open = context.writer()?;
        let answer = team::act(&mut open.memory, &open.call, &deed)?;
        context.print(&open, answer, text::team)
    }
}

fn make_token(context: &Context, name: &str, days: u32, is_person: bool) -> CommandResult {
    let secret = new_token().map_err(|error| Failure::usage(error.to_string(), None))?;
    let request = TokenRequest { name, secret: &secret, days, is_person };
    let mut open = context.writer()?;
    let answer = team::make_token(&mut open.memory, &open.call, &request)?;
    context.print(&open, answer, text::token_made)
}
