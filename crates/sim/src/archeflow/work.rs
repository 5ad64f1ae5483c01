//! Who does ArcheFlow's work, with which words, and did all of them do the same? Runs
//! each in a folder of its own that looks like a project with ArcheFlow in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::data::Data;
use crate::speed::start::Start;

/// One thing that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Extract,
    Inject,
    Decay,
}

impl Task {
    pub const ALL: [Task; 3] = [Task::Extract, Task::Inject, Task::Decay];

    pub fn name(self) -> &'static str {
        match self {
            Task::Extract => "extract, 1 new finding",
            Task::Inject => "inject code guardian",
            Task::Decay => "decay",
        }
    }

    fn words(self, events: &'static str) -> Vec<&'static str> {
        match self {
            Task::Extract => vec!["extract", events],
            Task::Inject => vec!["inject", "code", "guardian"],
            Task::Decay => vec!["decay"],
        }
    }
}

/// One program that does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `hardwon archeflow`: as ArcheFlow's documents say.
    Documented,
    /// `hardwon archeflow --as-shipped`: as ArcheFlow's script does.
    AsShipped,
    /// The script with one jq program per command.
    OneJq,
    /// The script with a loop over the lessons.
    Loop,
}

impl Way {
    pub const ALL: [Way; 4] = [Way::Documented, Way::AsShipped, Way::OneJq, Way::Loop];

    pub fn name(self) -> &'static str {
        match self {
            Way::Documented => "hardwon",
            Way::AsShipped => "hardwon --as-shipped",
            Way::OneJq => "script, one jq",
            Way::Loop => "script, a loop",
        }
    }

    pub fn is_slow(self) -> bool {
        self == Way::Loop
    }
}

const SCRIPT: &str = include_str!("../../scripts/archeflow-plain.sh");
const MEMORY: &str = ".archeflow/memory";
const NEW: &str = ".archeflow/events/new.jsonl";
const BOTH: &str = ".archeflow/events/both.jsonl";
/// ArcheFlow's limit for one prompt.
const MAX_SHOWN: usize = 10;
const N_JQ_STARTS: usize = 9;

/// The programs and the folder that they work in.
pub struct Tools<'a> {
    program: &'a Path,
    script: PathBuf,
    project: PathBuf,
}

impl<'a> Tools<'a> {
    /// Puts the script and an empty project into a folder.
    pub fn new(program: &'a Path, folder: &Path) -> Result<Self, String> {
        let (script, project) = (folder.join("archeflow-plain.sh"), folder.join("project"));
        write(&script, SCRIPT)?;
        make_folder(&project.join(".archeflow/events"))?;
        Ok(Tools { program, script, project })
    }

    /// How long one cold process takes, on files that nobody has touched.
    pub fn time(&self, data: &Data, task: Task, way: Way) -> Result<Duration, String> {
        self.put_back(data)?;
        self.start(way, &task.words(NEW)).time()
    }

    /// How long jq takes to do nothing: much of what the script takes.
    pub fn jq_start_ms(&self) -> Result<f64, String> {
        let jq = self.of_user("jq").args(&["-n", "0"]);
        let mut times = (0..N_JQ_STARTS).map(|_| jq.time()).collect::<Result<Vec<_>, _>>()?;
        times.sort_unstable();
        Ok(times[N_JQ_STARTS / 2].as_secs_f64() * 1000.0)
    }

    /// Sees to it that all ways do the same, and says in one sentence what.
    pub fn check(&self, data: &Data) -> Result<String, String> {
        let mut sentence = format!("{} lessons:", data.n_lessons);
        for task in Task::ALL {
            let expected = self.work(data, task, Way::OneJq)?;
            let fault = |way: Way, why: &str| {
                format!("`{}` by {}: {why}; nothing was measured", task.name(), way.name())
            };
            if let Some(lack) = expected.lack(data, task) {
                return Err(fault(Way::OneJq, &lack));
            }
            for way in Way::ALL {
                let work = self.work(data, task, way)?;
                if work != expected {
                    let why = format!("did {work:?}, but the script did {expected:?}");
                    return Err(fault(way, &why));
                }
            }
            sentence.push_str(&expected.told(task));
        }
        Ok(sentence)
    }

    fn work(&self, data: &Data, task: Task, way: Way) -> Result<Work, String> {
        self.put_back(data)?;
        let output = self.start(way, &task.words(BOTH)).output()?;
        let lessons = records(&self.project.join(MEMORY).join("lessons.jsonl"))?;
        let archive = records(&self.project.join(MEMORY).join("archive.jsonl"))?;
        let last_id = format!("m-{:03}", data.n_lessons);
        let sum = |name: &str| lessons.iter().filter_map(|lesson| lesson[name].as_u64()).sum();
        let last = lessons.iter().find(|lesson| lesson["id"] == last_id.as_str());
        Ok(Work {
            n_lessons: lessons.len(),
            n_archived: archive.len(),
            last_frequency: last.and_then(|lesson| lesson["frequency"].as_u64()),
            sum_of_frequencies: sum("frequency"),
            sum_of_unseen_runs: sum("runs_since_last_seen"),
            shown: output.lines().filter_map(seen_count).collect(),
        })
    }

    /// Makes the project's files what they were.
    fn put_back(&self, data: &Data) -> Result<(), String> {
        let memory = self.project.join(MEMORY);
        if memory.exists() {
            fs::remove_dir_all(&memory)
                .map_err(|error| format!("cannot remove {}: {error}", memory.display()))?;
        }
        make_folder(&memory)?;
        write(&memory.join("lessons.jsonl"), &data.lessons)?;
        write(&self.project.join(NEW), &data.new)?;
        write(&self.project.join(BOTH), &data.both)
    }

    fn start(&self, way: Way, words: &[&str]) -> Start {
        let hardwon = || Start::new(self.program, &self.project).args(&["archeflow"]);
        let script = || self.of_user("bash").args(&[&self.script]);
        let start = match way {
            Way::Documented => hardwon(),
            Way::AsShipped => hardwon().args(&["--as-shipped"]),
            Way::OneJq => script().args(&["--one-jq"]),
            Way::Loop => script(),
        };
        start.args(words)
    }

    /// A program that is looked for where the user's are, as those that it starts.
    fn of_user(&self, program: &str) -> Start {
        let path = std::env::var("PATH").unwrap_or_default();
        Start::new(Path::new(program), &self.project).variable("PATH", &path)
    }
}

/// What a command did, as far as documents and script agree on it.
#[derive(Debug, PartialEq, Eq)]
struct Work {
    n_lessons: usize,
    n_archived: usize,
    /// Nothing if the last lesson is gone.
    last_frequency: Option<u64>,
    sum_of_frequencies: u64,
    sum_of_unseen_runs: u64,
    /// How often each lesson of the block was seen, in its order. The lessons themselves
    /// may differ: the documents do not say which of two equally frequent ones is first.
    shown: Vec<u64>,
}

impl Work {
    /// What it should have done and did not.
    fn lack(&self, data: &Data, task: Task) -> Option<String> {
        let n_before = data.n_lessons as usize;
        let is_done = match task {
            Task::Extract => {
                self.n_lessons == n_before + 1
                    && self.last_frequency == Some(data.last_frequency + 1)
            }
            Task::Inject => (1..=MAX_SHOWN).contains(&self.shown.len()),
            Task::Decay => self.n_lessons + self.n_archived == n_before,
        };
        (!is_done).then(|| format!("did not do its work: {self:?}"))
    }

    fn told(&self, task: Task) -> String {
        match task {
            Task::Extract => " all ways learned one finding and recognized another,".to_owned(),
            Task::Inject => format!(" showed {},", self.shown.len()),
            Task::Decay => format!(" and archived {}.", self.n_archived),
        }
    }
}

/// The number in a line such as `- Text [seen 3x, guardian]`.
fn seen_count(line: &str) -> Option<u64> {
    let (_, end) = line.strip_prefix("- ")?.rsplit_once("[seen ")?;
    end.split_once('x')?.0.parse().ok()
}

/// The lines of a file as JSON; none if there is no file.
fn records(path: &Path) -> Result<Vec<Value>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let fault = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| fault(&error))?;
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| fault(&error))).collect()
}

fn make_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|error| format!("cannot make {}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_a_line_is_the_last_one() {
        assert_eq!(seen_count("- Odd [seen 2x, a] text [seen 12x, guardian]"), Some(12));
        assert_eq!(seen_count("## Known Issues (from past runs)"), None);
        assert_eq!(seen_count("- No count"), None);
    }

    #[test]
    fn files_are_put_back() {
        let folder = crate::speed::start::Folder::new().unwrap();
        let tools = Tools::new(Path::new("hardwon"), folder.path()).unwrap();
        let data = Data::new(3);
        tools.put_back(&data).unwrap();
        let memory = tools.project.join(MEMORY);
        fs::write(memory.join("archive.jsonl"), "{}\n").unwrap();
        fs::write(memory.join("lessons.jsonl"), "").unwrap();
        tools.put_back(&data).unwrap();
        assert_eq!(fs::read_to_string(memory.join("lessons.jsonl")).unwrap(), data.lessons);
        assert!(records(&memory.join("archive.jsonl")).unwrap().is_empty());
    }

    #[test]
    fn work_that_was_not_done_is_noticed() {
        let data = Data::new(3);
        let work = Work {
            n_lessons: 4,
            n_archived: 0,
            last_frequency: Some(data.last_frequency + 1),
            sum_of_frequencies: 9,
            sum_of_unseen_runs: 0,
            shown: Vec::new(),
        };
        assert_eq!(work.lack(&data, Task::Extract), None);
        assert!(work.lack(&data, Task::Inject).is_some());
        assert!(work.lack(&data, Task::Decay).is_some());
    }
}
