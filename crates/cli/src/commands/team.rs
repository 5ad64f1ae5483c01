//! `hardwon config team`

use clap::{Args, Subcommand};
use hardwon_engine::people::{Refusal, Role, Team};
use hardwon_engine::team::{self, TokenRequest};
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
        match self.what {
            What::List => context.reads(team::list, text::team),
            What::Create { admin } => {
                let own = context.environment.user.clone();
                let admin = admin.or(own).ok_or_else(|| {
                    Failure::usage("your name is not known", Some("add --admin NAME"))
                })?;
                context.writes(|memory, call| team::create(memory, call, &admin), text::team)
            }
            What::Token(TokenDeed::Create { name, days, as_person }) => {
                make_token(context, &name, days, as_person)
            }
            What::Token(TokenDeed::Revoke { name }) => {
                change(context, "team token revoke", &|team| team.without_token(&name))
            }
            What::Member(MemberDeed::Add { name, role }) => {
                change(context, "team member add", &|team| team.with_member(&name, role))
            }
            What::Member(MemberDeed::Remove { name }) => {
                change(context, "team member remove", &|team| team.without_member(&name))
            }
            What::Role { name, role } => {
                change(context, "team role", &|team| team.with_role(&name, role))
            }
        }
    }
}

fn change(
    context: &Context,
    command: &str,
    change: &dyn Fn(Team) -> Result<Team, Refusal>,
) -> CommandResult {
    context.writes(|memory, call| team::change(memory, call, command, change), text::team)
}

fn make_token(context: &Context, name: &str, days: u32, is_person: bool) -> CommandResult {
    let secret = new_token().map_err(|error| Failure::usage(error.to_string(), None))?;
    let request = TokenRequest { name, secret: &secret, days, is_person };
    context.writes(|memory, call| team::make_token(memory, call, &request), text::token_made)
}
