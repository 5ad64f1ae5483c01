//! Texts, and questions with the texts that answer them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

const OWN: &str = include_str!("../../cases/retrieval.jsonl");

/// Questions of one sort.
pub struct Set {
    pub name: String,
    pub parts: Vec<Part>,
}

/// Texts that are searched together.
#[derive(Default)]
pub struct Part {
    pub texts: Vec<String>,
    pub questions: Vec<Question>,
}

pub struct Question {
    pub text: String,
    /// Indexes of the texts that answer it.
    pub answers: Vec<usize>,
    /// The text that it was made of, which does not count as found.
    pub own: Option<usize>,
}

impl Set {
    pub fn n_questions(&self) -> usize {
        self.parts.iter().map(|part| part.questions.len()).sum()
    }

    pub fn n_texts(&self) -> usize {
        self.parts.iter().map(|part| part.texts.len()).sum()
    }
}

/// A line of a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Text {
        set: String,
        #[serde(default)]
        part: String,
        id: String,
        text: String,
    },
    Question {
        set: String,
        #[serde(default)]
        part: String,
        question: String,
        ids: Vec<String>,
        own: Option<String>,
    },
}

/// Our own, as they stand in the repository.
pub fn own() -> Result<Vec<Set>, String> {
    let mut sets = Sets::default();
    sets.take(OWN, "our own questions")?;
    sets.finish()
}

pub fn read(files: &[PathBuf]) -> Result<Vec<Set>, String> {
    let mut sets = Sets::default();
    for file in files {
        let place = file.display().to_string();
        let text = fs::read_to_string(file).map_err(|error| format!("{place}: {error}"))?;
        sets.take(&text, &place)?;
    }
    sets.finish()
}

#[derive(Default)]
struct Sets {
    parts: BTreeMap<(String, String), (Part, BTreeMap<String, usize>)>,
}

impl Sets {
    fn take(&mut self, lines: &str, place: &str) -> Result<(), String> {
        for (number, line) in (1..).zip(lines.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let line = serde_json::from_str(line)
                .map_err(|_| format!("{place}: line {number} is neither a text nor a question"))?;
            self.add(line).map_err(|id| format!("{place}: line {number}: no text {id} before"))?;
        }
        Ok(())
    }

    /// The id that a question names and no text has, if there is one.
    fn add(&mut self, line: Line) -> Result<(), String> {
        match line {
            Line::Text { set, part, id, text } => {
                let (part, places) = self.parts.entry((set, part)).or_default();
                places.insert(id, part.texts.len());
                part.texts.push(text);
            }
            Line::Question { set, part, question, ids, own } => {
                let (part, places) = self.parts.entry((set, part)).or_default();
                let place = |id: &String| places.get(id).copied().ok_or_else(|| id.clone());
                let answers = ids.iter().map(place).collect::<Result<Vec<_>, _>>()?;
                let own = own.as_ref().map(place).transpose()?;
                part.questions.push(Question { text: question, answers, own });
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<Set>, String> {
        let mut sets: Vec<Set> = Vec::new();
        for ((name, _), (mut part, _)) in self.parts {
            part.questions.retain(|question| !question.answers.is_empty());
            match sets.last_mut().filter(|set| set.name == name) {
                Some(set) => set.parts.push(part),
                None => sets.push(Set { name, parts: vec![part] }),
            }
        }
        sets.retain(|set| set.n_questions() > 0);
        if sets.is_empty() { Err("there are no questions in it".to_owned()) } else { Ok(sets) }
    }
}
