//! Leaves records that came while the server was away where sessions wait. They are learned once:
//! one that is learned again changes nothing.

use std::io::Read;
use std::path::{Path, PathBuf};

use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::ids::RunId;
use hardwon_readers::{Format, Input};
use hardwon_render::answer::{Answer, Learned};
use hardwon_store::files::{self, Mode, Place, path_text, text_path};
use serde::{Deserialize, Serialize};

use super::{Queued, Work, enqueue};
use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::Options;
use crate::place::Environment;
use crate::runs::{self, LearnRequest};

/// Where records are put that came by a stream, in the data folder.
const SPOOL: &str = "spool";

/// The most bytes of such a record.
const MAX_BYTES: u64 = 256 << 20;

/// A record in a file, and what was said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRecord {
    pub path: String,
    /// Whether the file is ours, to be removed when it was learned.
    #[serde(default)]
    pub is_spooled: bool,
    #[serde(default)]
    pub run: Option<String>,
    #[serde(default)]
    pub format: Option<String>,
    #[serde(default)]
    pub author: Option<String>,
}

/// Leaves what was to be learned for later; gives how many inputs wait.
pub fn keep_record(
    environment: &Environment,
    options: &Options,
    request: LearnRequest,
) -> Result<usize> {
    let settings = options.settings(environment);
    let n = request.inputs.len();
    for input in request.inputs {
        let (path, is_spooled) = match input {
            Input::Path(path) => (environment.folder.join(path), false),
            Input::Stream(_, stream) => (spooled(environment, stream)?, true),
        };
        let kept = KeptRecord {
            path: path_text(&path),
            is_spooled,
            run: request.run.as_ref().map(RunId::to_string),
            format: request.format.map(|format| format.word().to_owned()),
            author: request.author.clone(),
        };
        let queued = Queued {
            work: Work::Record(kept),
            folder: path_text(&environment.folder),
            project: options.project.clone().or_else(|| environment.project.clone()),
            agent: environment.speaker.agent.clone(),
            store: settings.get("store").map(|setting| setting.value.clone()),
            at: environment.now()?.to_string(),
            ..Queued::default()
        };
        enqueue(environment, &queued)?;
    }
    Ok(n)
}

fn spooled(environment: &Environment, stream: Box<dyn Read>) -> Result<PathBuf> {
    let folder = environment.data_folder()?.join(SPOOL);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| EngineError::File { path, source }
    };
    let mut bytes = Vec::new();
    stream.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed(&folder))?;
    files::make_private_folder(&folder).map_err(failed(&folder))?;
    let path = folder.join(sha256_of_bytes(&bytes).replace(':', "-"));
    files::replace(Place::own(&path), &bytes, Mode::PRIVATE).map_err(failed(&path))?;
    Ok(path)
}

/// A record that a server could not take when it came, as `learn` would have learned it then.
pub(super) fn learn(
    memory: &mut Memory,
    call: &Call,
    kept: &KeptRecord,
) -> Result<Answer<Learned>> {
    let path = text_path(&kept.path);
    let request = LearnRequest {
        inputs: vec![Input::Path(path.clone())],
        run: kept.run.as_deref().and_then(RunId::named),
        format: kept.format.as_deref().and_then(Format::from_word),
        author: kept.author.clone(),
        ..LearnRequest::default()
    };
    let learned = runs::learn(memory, call, request)?;
    if kept.is_spooled {
        let _ = std::fs::remove_file(path);
    }
    Ok(learned)
}
