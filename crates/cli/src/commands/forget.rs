//! `hardwon forget`

use clap::Args;

use super::{Context, Done};

/// Put a lesson away; `restore` brings it back
#[derive(Args)]
pub struct Forget {
    /// Its id, the beginning of its id, or an alias
    lesson: String,
}

impl Forget {
    pub fn run(self, context: &Context) -> Done {
        let mut engine = context.writer()?;
        let answer = engine.forget(&self.lesson)?;
        context.lesson(&engine, answer)
    }
}
