//! Which lessons are put into a prompt, and the note that they were.

use std::cmp::Ordering;

use hardwon_core::foreign::ArcheflowAudit;
use hardwon_readers::{Loose, ShippedLesson, shipped_lessons};
use hardwon_render::archeflow::audit_line;

use super::shell::shell_text;
use super::{AUDIT, LESSONS, Said, Shipped, Stop};

const MOST_SHOWN: usize = 10;

/// Seen this often, a lesson is shown where it fits, and from the second number on
/// everywhere.
const KNOWN_FROM: f64 = 2.0;
const UNIVERSAL_FROM: f64 = 5.0;

impl Shipped<'_> {
    pub(super) fn inject(&self, args: &[String], said: &mut Said) -> Result<(), Stop> {
        let arg = |at: usize| args.get(at).map_or("", String::as_str);
        let (domain, archetype) = (arg(0), arg(1));
        let run = self.audited_run(args)?;
        let Some(bytes) = self.read(LESSONS)? else { return Ok(()) };
        let lessons = shipped_lessons(&bytes);
        let wanted = lessons.usable().filter(|lesson| is_wanted(lesson, domain, archetype));
        let shown = ordered(wanted.collect());
        if shown.is_empty() {
            return Ok(());
        }
        said.print("## Known Issues (from past runs)");
        for lesson in &shown {
            let [text, seen, source] =
                [&lesson.description, &lesson.frequency, &lesson.source].map(shell_text);
            said.print(&format!("- {text} [seen {seen}x, {source}]"));
        }
        if run.is_empty() {
            return Ok(());
        }
        let record = ArcheflowAudit::Injection {
            ts: Some(self.now),
            run_id: run.to_owned(),
            domain: self.gate.redacted(domain),
            archetype: self.gate.redacted(archetype),
            lessons: shown.iter().map(|lesson| shell_text(&lesson.id)).collect(),
        };
        self.append(AUDIT, format!("{}\n", audit_line(&record)).as_bytes())
    }

    /// The run that the lessons are for; empty if nobody said. The option is looked for
    /// behind the two arguments, or anywhere if there are not even two.
    fn audited_run<'s>(&self, args: &'s [String]) -> Result<&'s str, Stop> {
        let mut rest = args.get(2..).unwrap_or(args).iter();
        let mut run = "";
        while let Some(arg) = rest.next() {
            if arg == "--audit" {
                let missing = || Stop::failure(format!("{}: --audit needs a run id", self.name));
                run = rest.next().ok_or_else(missing)?;
            }
        }
        Ok(run)
    }
}

fn is_wanted(lesson: &ShippedLesson, domain: &str, archetype: &str) -> bool {
    let fits_domain =
        || domain.is_empty() || lesson.domain.is(domain) || lesson.domain.is("general");
    let fits_archetype = || {
        archetype.is_empty() || lesson.archetype == Loose::Null || lesson.archetype.is(archetype)
    };
    lesson.kind.is("preference")
        || lesson.frequency.is_at_least(UNIVERSAL_FROM)
        || (lesson.frequency.is_at_least(KNOWN_FROM) && fits_domain() && fits_archetype())
}

/// The most frequent first, others as they stand. A single frequency that is no number
/// spoils the order, and with it everything.
fn ordered(lessons: Vec<&ShippedLesson>) -> Vec<&ShippedLesson> {
    let with_number = |lesson| lesson_frequency(lesson).map(|number| (number, lesson));
    let numbered: Option<Vec<_>> = lessons.into_iter().map(with_number).collect();
    let mut lessons = numbered.unwrap_or_default();
    lessons.sort_by(|(a, _), (b, _)| b.partial_cmp(a).unwrap_or(Ordering::Equal));
    lessons.into_iter().take(MOST_SHOWN).map(|(_, lesson)| lesson).collect()
}

fn lesson_frequency(lesson: &ShippedLesson) -> Option<f64> {
    match lesson.frequency {
        Loose::Number(number) => Some(number),
        Loose::Null | Loose::Bool(_) | Loose::Text(_) | Loose::Other(_) => None,
    }
}
