//! What did the user type in a session, turn by turn? Kept only for who asks, within bounds: a
//! session may go on for days.

use std::io::Read;
use std::path::Path;

use hardwon_core::event::{Problem, Record};

use super::{Reading, opened};
use crate::read_error::ReadError;

/// Most turns of a session that are kept: the first.
const MAX_TURNS: usize = 4_000;

/// A session with what was said in it.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    pub record: Record,
    /// The sentences that the user typed, turn by turn.
    pub turns: Vec<Vec<String>>,
}

/// What was said, if somebody wants to know.
#[derive(Default)]
pub(super) struct Words {
    is_wanted: bool,
    turns: Vec<Vec<String>>,
}

impl Words {
    pub fn user(&mut self, sentences: Vec<String>) {
        if self.is_wanted && !sentences.is_empty() && self.turns.len() < MAX_TURNS {
            self.turns.push(sentences);
        }
    }
}

/// Reads a session that a host kept, with what was said in it. Why it cannot be read is a problem
/// of that file.
pub fn conversation_file(path: &Path) -> Result<Conversation, Problem> {
    let (name, file) = opened(path)?;
    conversation(&name, file).map_err(|error| Problem::new(&name, error.to_string()))
}

fn conversation(input: &str, reader: impl Read) -> Result<Conversation, ReadError> {
    let mut reading = Reading::new(input);
    reading.work.words.is_wanted = true;
    let is_cut = reading.read(input, reader)?;
    let turns = std::mem::take(&mut reading.work.words.turns);
    Ok(Conversation { record: reading.finish(is_cut)?, turns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_typed_is_kept_turn_by_turn() {
        let lines = [
            r#"{"type":"user","sessionId":"s1","message":{"role":"user","content":"No, use pnpm here. Then go on."}}"#,
            r#"{"type":"assistant","sessionId":"s1","message":{"role":"assistant","content":[{"type":"text","text":"I use pnpm."}]}}"#,
            r#"{"type":"user","sessionId":"s1","isMeta":true,"message":{"role":"user","content":"Caveat: never mind."}}"#,
        ];
        let turns = conversation("s1", lines.join("\n").as_bytes()).unwrap().turns;
        let said = ["No, use pnpm here.", "Then go on."].map(str::to_owned).to_vec();
        assert_eq!(turns, [said]);
        assert!(conversation_file(Path::new("no/such/file.jsonl")).is_err());
    }
}
