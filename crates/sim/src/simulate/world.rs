//! What happens in a run: which files it touches, which defects the agent makes with this
//! block before it, and what the reviewers make of it. Everything but the block is the
//! same for every memory.

use std::collections::BTreeSet;

use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::need::Need;
use hardwon_core::time::Timestamp;
use serde_json::{Value, json};

use super::chance::{Chance, Draw};
use super::texts::{ALARMS, Came, DEFECTS, HARMS, N_CAUSED, REVIEWERS, Subject};

// How likely things are: set by hand, so that defects recur often enough for a lesson
// within the sixty runs of a quick world. With fewer places touched or freer wording
// nothing is confirmed in that time, and every memory looks like random lessons.

/// A run touches some of the places where defects are made; most lessons are not about
/// its work.
const TOUCHED: f64 = 0.35;
const REVIEWED: f64 = 0.85;
const DETECTED: f64 = 0.75;
/// A reviewer uses the words that come first to mind; otherwise any.
const FAVOURITE: f64 = 0.5;
/// A second reviewer says the same in other words.
const SAID_TWICE: f64 = 0.15;
const ALARMED: f64 = 0.06;
/// Somebody rules a false alarm false.
const RULED: f64 = 0.4;
/// Each further line of a block costs attention.
const PER_LINE: f64 = 0.97;
/// What is left of a defect when its lesson is heeded.
const LEFT: f64 = 0.1;
/// Chance of a defect that a harmful lesson causes, followed and not.
const CAUSED: f64 = 0.8;
const UNCAUSED: f64 = 0.08;
/// A reviewer who sees such a defect names the lesson behind it.
const NAMED: f64 = 0.4;
/// A reviewer blames a lesson that has nothing to do with it, per reported defect.
const MISBLAMED: f64 = 0.01;
/// Runs in which the mistaken reviewer speaks.
const MISTAKEN: [usize; 2] = [2, 4];

const HOUR_MS: i64 = 3_600_000;

/// One world, with its own habits and its own luck.
pub struct World {
    chance: Chance,
    /// How likely a lesson is heeded that stands alone in its block.
    heed: f64,
}

/// One line of a block, as the agent reads it.
#[derive(Clone, Debug)]
pub struct Line {
    pub subject: Subject,
    /// `None` where no lessons are kept.
    pub lesson: Option<LessonId>,
}

/// What a run is about, before it begins.
#[derive(Debug)]
pub struct Plan {
    pub number: usize,
    pub id: RunId,
    pub at: Timestamp,
    /// Defects that could be made.
    pub touched: Vec<usize>,
    reviewers: Vec<&'static str>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Played {
    pub made: Vec<usize>,
    /// Defects that a reviewer reported.
    pub reported: Vec<usize>,
    /// Harmful lessons that a reviewer named as a cause.
    pub named: Vec<usize>,
    /// Every text that a reviewer wrote down.
    pub texts: Vec<&'static str>,
    /// The same as a `hardwon.run/1` record.
    pub record: String,
}

impl World {
    pub fn new(seed: u64, heed: f64) -> Self {
        World { chance: Chance { seed }, heed }
    }

    pub fn chance(&self) -> Chance {
        self.chance
    }

    /// What the run of this number will work on.
    pub fn plan(&self, number: usize) -> Plan {
        let chance = &self.chance;
        let is_touched = |&defect: &usize| chance.happens(TOUCHED, Draw::Touched, number, defect);
        let is_there = |&role: &usize| chance.happens(REVIEWED, Draw::Reviewed, number, role);
        let roles = (0..REVIEWERS.len()).filter(is_there);
        let name = format!("w{}-{number}", chance.seed);
        Plan {
            number,
            id: RunId::parse(&name).expect("a letter, digits and a dash"),
            // Three runs a day from the beginning of 2026 on.
            at: Timestamp(1_767_225_600_000 + number as i64 * 8 * HOUR_MS),
            touched: (0..DEFECTS.len()).filter(is_touched).collect(),
            reviewers: roles.map(|role| REVIEWERS[role]).collect(),
        }
    }

    /// Plays a run with these lines before the agent.
    pub fn play(&self, plan: &Plan, lines: &[Line]) -> Played {
        let (played, failing) = (Played::default(), BTreeSet::new());
        let mut review = Review { world: self, plan, lines, played, failing };
        let mut made = plan.touched.clone();
        made.retain(|&defect| self.is_made(defect, plan, lines));
        for &defect in &made {
            review.look_at(defect);
        }
        review.raise_alarms();
        review.be_mistaken();
        review.judge();
        let mut played = review.played;
        played.made = made;
        played.record.insert_str(0, &plan.run_line());
        played
    }

    fn is_made(&self, defect: usize, plan: &Plan, lines: &[Line]) -> bool {
        let heed = self.heed * PER_LINE.powi(lines.len() as i32 - 1);
        let has = |subject: Subject| lines.iter().any(|line| line.subject == subject);
        let number = plan.number;
        let mut probability = self.habit(defect);
        let harm = HARMS.iter().position(|harm| harm.causes == defect);
        if let Some(harm) = harm.filter(|&harm| has(Subject::Harm(harm))) {
            // Harm and help are heeded by draws of their own.
            let item = DEFECTS.len() + harm;
            if self.chance.happens(heed, Draw::Heeded, number, item) {
                probability = CAUSED;
            }
        }
        let is_warned = has(Subject::Defect(defect));
        if is_warned && self.chance.happens(heed, Draw::Heeded, number, defect) {
            probability *= LEFT;
        }
        self.chance.happens(probability, Draw::Made, number, defect)
    }

    /// How often an agent makes a defect that it was not warned of.
    fn habit(&self, defect: usize) -> f64 {
        if defect >= DEFECTS.len() - N_CAUSED {
            UNCAUSED
        } else {
            0.15 + 0.45 * self.chance.share(Draw::Habit, 0, defect)
        }
    }
}

impl Plan {
    /// What a pipeline would ask a block for.
    pub fn need(&self) -> Need {
        let tasks: Vec<&str> = self.touched.iter().map(|&defect| DEFECTS[defect].task).collect();
        Need {
            role: Some("maker".to_owned()),
            paths: self.paths(),
            text: (!tasks.is_empty()).then(|| tasks.join("; ")),
            ..Need::default()
        }
    }

    fn paths(&self) -> Vec<String> {
        self.touched.iter().map(|&defect| DEFECTS[defect].path.to_owned()).collect()
    }

    fn run_line(&self) -> String {
        line(json!({
            "type": "run", "id": self.id.as_str(), "started": self.at.to_string(),
            "detectors": self.reviewers, "paths": self.paths(),
        }))
    }
}

/// The reviewers at work on one run.
struct Review<'a> {
    world: &'a World,
    plan: &'a Plan,
    lines: &'a [Line],
    played: Played,
    /// Those who reported what has to be repaired.
    failing: BTreeSet<String>,
}

impl Review<'_> {
    fn happens(&self, probability: f64, draw: Draw, item: usize) -> bool {
        self.world.chance.happens(probability, draw, self.plan.number, item)
    }

    fn choice(&self, n: usize, draw: Draw, item: usize) -> usize {
        self.world.chance.choice(n, draw, self.plan.number, item)
    }

    fn look_at(&mut self, index: usize) {
        let defect = &DEFECTS[index];
        let is_there = self.plan.reviewers.contains(&defect.author);
        if !is_there || !self.happens(DETECTED, Draw::Detected, index) {
            return;
        }
        self.played.reported.push(index);
        let wording = self.wording(index);
        let severity = defect.severity.word();
        self.report(defect.author, severity, defect.wordings[wording], defect.path);
        self.say_twice(index, wording);
        self.name_cause(index);
        self.misblame(index);
    }

    fn wording(&self, index: usize) -> usize {
        let n = DEFECTS[index].wordings.len();
        if self.happens(FAVOURITE, Draw::Favoured, index) {
            self.world.chance.choice(n, Draw::Favourite, 0, index)
        } else {
            self.choice(n, Draw::Wording, index)
        }
    }

    fn say_twice(&mut self, index: usize, wording: usize) {
        let defect = &DEFECTS[index];
        let other = self.plan.reviewers.iter().find(|role| **role != defect.author).copied();
        if let Some(other) = other.filter(|_| self.happens(SAID_TWICE, Draw::SaidTwice, index)) {
            let n = defect.wordings.len();
            let further = 1 + self.choice(n - 1, Draw::OtherWording, index);
            let text = defect.wordings[(wording + further) % n];
            self.report(other, defect.severity.word(), text, defect.path);
        }
    }

    fn name_cause(&mut self, index: usize) {
        let Some(harm) = HARMS.iter().position(|harm| harm.causes == index) else { return };
        let is_it = |line: &&Line| line.subject == Subject::Harm(harm);
        let Some(line) = self.lines.iter().find(is_it) else { return };
        if self.happens(NAMED, Draw::Named, index) {
            self.played.named.push(harm);
            let lesson = line.lesson.clone();
            self.blame(lesson, "the lesson led to this defect");
        }
    }

    fn misblame(&mut self, index: usize) {
        if !self.lines.is_empty() && self.happens(MISBLAMED, Draw::Misblamed, index) {
            let line = self.choice(self.lines.len(), Draw::Misblamed, DEFECTS.len() + index);
            let lesson = self.lines[line].lesson.clone();
            self.blame(lesson, "it looked like the cause");
        }
    }

    fn raise_alarms(&mut self) {
        for (index, alarm) in ALARMS.iter().enumerate() {
            let is_there = self.plan.reviewers.contains(&alarm.author);
            if !is_there || !self.happens(ALARMED, Draw::Alarmed, index) {
                continue;
            }
            let wording = self.choice(alarm.wordings.len(), Draw::AlarmWording, index);
            let text = alarm.wordings[wording];
            self.report(alarm.author, "warning", text, alarm.path);
            if self.happens(RULED, Draw::Ruled, index) {
                let verdict = json!({
                    "type": "verdict", "author": "judge", "grade": "executed",
                    "false_positives": [text],
                });
                self.played.record += &line(verdict);
            }
        }
    }

    fn be_mistaken(&mut self) {
        if !MISTAKEN.contains(&self.plan.number) {
            return;
        }
        for harm in HARMS.iter().filter(|harm| harm.came == Came::Reported) {
            let defect = &DEFECTS[harm.causes];
            self.report(defect.author, "warning", harm.text, defect.path);
        }
    }

    fn judge(&mut self) {
        for reviewer in &self.plan.reviewers {
            let verdict = if self.failing.contains(*reviewer) { "FAIL" } else { "PASS" };
            self.played.record += &line(json!({
                "type": "verdict", "author": reviewer, "verdict": verdict, "grade": "executed",
            }));
        }
    }

    fn report(&mut self, author: &str, severity: &str, text: &'static str, path: &str) {
        if matches!(severity, "critical" | "bug") {
            self.failing.insert(author.to_owned());
        }
        self.played.texts.push(text);
        self.played.record += &line(json!({
            "type": "finding", "author": author, "severity": severity, "text": text,
            "path": path, "grade": "cited",
        }));
    }

    fn blame(&mut self, lesson: Option<LessonId>, because: &str) {
        let Some(lesson) = lesson else { return };
        let effect = json!({
            "type": "effect", "lesson": lesson.as_str(), "effect": "hurt", "because": because,
        });
        self.played.record += &line(effect);
    }
}

fn line(value: Value) -> String {
    value.to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(defect: usize) -> Line {
        Line { subject: Subject::Defect(defect), lesson: None }
    }

    fn n_made(world: &World, defect: usize, lines: &[Line]) -> usize {
        (0..400).filter(|&run| world.is_made(defect, &world.plan(run), lines)).count()
    }

    #[test]
    fn heeded_lessons_prevent_and_harmful_ones_cause() {
        let world = World::new(1, 0.8);
        let (bare, warned_of) = (n_made(&world, 0, &[]), n_made(&world, 0, &[warned(0)]));
        assert!(warned_of * 2 < bare, "{warned_of} of {bare}");
        let other = n_made(&world, 0, &[warned(1)]);
        assert_eq!(other, bare, "another lesson changes nothing");
        let harm = Line { subject: Subject::Harm(0), lesson: None };
        let caused = HARMS[0].causes;
        let (bare, led) = (n_made(&world, caused, &[]), n_made(&world, caused, &[harm]));
        assert!(led > bare * 4, "{led} of {bare}");
    }

    #[test]
    fn agents_that_heed_nothing_do_what_they_would_have_done() {
        let world = World::new(1, 0.0);
        assert_eq!(n_made(&world, 0, &[]), n_made(&world, 0, &[warned(0)]));
    }

    #[test]
    fn the_block_changes_only_what_it_speaks_of() {
        let world = World::new(3, 0.8);
        for run in 0..30 {
            let plan = world.plan(run);
            let (bare, warned_of) = (world.play(&plan, &[]), world.play(&plan, &[warned(0)]));
            let others = |played: &Played| -> Vec<usize> {
                played.made.iter().copied().filter(|&defect| defect != 0).collect()
            };
            assert_eq!(others(&bare), others(&warned_of));
        }
    }
}
