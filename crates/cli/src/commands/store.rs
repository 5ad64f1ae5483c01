//! `hardwon config store`

use clap::{Args, Subcommand};
use hardwon_render::text;

use super::{CommandResult, Context, watched};

/// Prepare a store on a PostgreSQL server, and move memory between stores
#[derive(Args)]
pub struct StoreArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Make the tables in the database that --store names, or bring them up to date
    ///
    /// To be done as the owner of the database, once, and again after an update of hardwon. Nobody
    /// has to stop working meanwhile. What writes to the store needs no right to make tables.
    Migrate {
        /// Let this role of the server read and write the tables
        #[arg(long, value_name = "ROLE")]
        role: Option<String>,
    },
    /// Keep a copy of the project at hand, for times when the server is away
    ///
    /// Brings what is new since the last time. Commands that only read, and hooks, answer from it when
    /// the server cannot be reached, and say so. The worker that hooks start does the same; with the
    /// setting `copy = off` it does not.
    Keep,
    /// Bring everything that one store has to another one
    ///
    /// Every entry of the journal of every project is written anew, and both stores are looked
    /// through afterwards. A copy that was broken off goes on when it is called again, and one that
    /// is made again brings what came since. The other store is empty, or holds nothing but such a
    /// copy. On a server this is for the owner of the tables.
    #[command(
        after_help = "Example:\n  hardwon config store copy sqlite: postgres://owner@db.example/team"
    )]
    Copy {
        /// Where it is: `sqlite:`, `sqlite:PATH` or `postgres://…`
        from: String,
        /// Where it goes
        to: String,
    },
}

impl StoreArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        match self.what {
            What::Migrate { role } => {
                let (environment, options) = (&context.environment, &context.options);
                let answer = hardwon_engine::migrate(environment, options, role.as_deref())?;
                context.answer(&answer, text::migrated)
            }
            What::Keep => {
                let answer = hardwon_engine::keep_copy(&context.environment, &context.options)?;
                context.answer(&answer, text::kept_copy)
            }
            What::Copy { from, to } => {
                let (environment, options) = (&context.environment, &context.options);
                let answer = watched(true, |progress| {
                    hardwon_engine::copy_store(environment, options, (&from, &to), progress)
                })?;
                context.answer(&answer, text::copied_store)
            }
        }
    }
}
