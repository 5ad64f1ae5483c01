//! `hardwon store`

use clap::{Args, Subcommand};
use hardwon_render::text;

use super::{CommandResult, Context};

/// Prepare a store on a PostgreSQL server
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
}

impl StoreArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        match self.what {
            What::Migrate { role } => {
                let (environment, options) = (&context.environment, &context.options);
                let answer = hardwon_engine::migrate(environment, options, role.as_deref())?;
                context.answer(&answer, text::migrated)
            }
        }
    }
}
