//! An export, through the gate: every text and every word in it is cleaned and redacted
//! as if it had just been stated. Our own export comes out as it went in.

use hardwon_core::change::{Tombstone, Worded};
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::gate::Gate;
use hardwon_core::gate::rows;
use hardwon_core::gate::shape::Identified;
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_readers::{Export, Raw};

use crate::memory::safe_run;

/// What is left of an export behind the gate.
#[derive(Default)]
pub(crate) struct Gated {
    pub digest: String,
    pub lessons: Vec<Lesson>,
    pub runs: Vec<Run>,
    pub findings: Vec<Finding>,
    pub injections: Vec<Injection>,
    pub effects: Vec<Effect>,
    pub tombstones: Vec<Tombstone>,
    /// Texts and words that the gate changed.
    pub n_cleaned: u64,
    /// Lines that cannot be used, with the reason.
    pub unusable: Vec<(usize, String)>,
}

impl Gated {
    pub fn of(export: Export, gate: &Gate) -> Gated {
        let mut export = export;
        let mut gated = Gated { digest: std::mem::take(&mut export.digest), ..Gated::default() };
        gated.unusable = std::mem::take(&mut export.unusable);
        gated.named(&mut export, gate);
        for raw in export.lessons {
            match raw.texts.first() {
                Some(Some(text)) if gate.line(text).as_str().is_empty() => {
                    let reason = "nothing is left of the text after cleaning".to_owned();
                    gated.unusable.push((raw.line, reason));
                }
                // A lesson without words teaches nothing.
                Some(None) | None => {
                    gated.unusable.push((raw.line, "the text is missing".to_owned()));
                }
                Some(Some(_)) => {
                    let lesson = gated.clean(gate, raw);
                    gated.lessons.push(lesson);
                }
            }
        }
        gated.runs = export.runs.into_iter().map(|raw| gated.clean(gate, raw)).collect();
        gated.findings = export.findings.into_iter().map(|raw| gated.clean(gate, raw)).collect();
        gated.effects = export.effects.into_iter().map(|raw| gated.clean(gate, raw)).collect();
        for raw in export.injections {
            let block = raw.texts.into_iter().next().flatten();
            let (injection, is_genuine) = rows::clean_injection(gate, raw.row, block);
            gated.n_cleaned += u64::from(!is_genuine);
            gated.injections.push(injection);
        }
        for Raw { row, .. } in export.tombstones {
            let by = gate.word(&row.by).unwrap_or_else(|| "somebody".to_owned());
            gated.tombstones.push(Tombstone { by, ..row });
        }
        gated
    }

    /// Names of runs as `learn` would keep them. A line whose other names and digests are
    /// not as ours are is put aside: they say which row it is, and cannot be redacted.
    fn named(&mut self, export: &mut Export, gate: &Gate) {
        let Export { lessons, runs, findings, injections, effects, tombstones, .. } = export;
        self.keep_named(lessons, gate);
        self.keep_named(runs, gate);
        self.keep_named(findings, gate);
        self.keep_named(injections, gate);
        self.keep_named(effects, gate);
        self.keep_named(tombstones, gate);
        self.unusable.sort();
    }

    fn keep_named<T: Identified>(&mut self, rows: &mut Vec<Raw<T>>, gate: &Gate) {
        rows.retain_mut(|raw| {
            raw.row.for_each_run(&mut |run| {
                let safe = safe_run(gate, run);
                self.n_cleaned += u64::from(safe != *run);
                *run = safe;
            });
            let is_named = raw.row.is_named_as_ours(gate);
            if !is_named {
                let reason = "an id or a digest is not as it must be".to_owned();
                self.unusable.push((raw.line, reason));
            }
            is_named
        });
    }

    fn clean<T: Worded>(&mut self, gate: &Gate, raw: Raw<T>) -> T {
        let (row, n_cleaned) = rows::clean(gate, raw.row, raw.texts);
        self.n_cleaned += n_cleaned;
        row
    }
}
