//! How much faster is ArcheFlow's work done here than in a shell script? Cold processes of
//! `hardwon archeflow` and of a script with jq, on the same files, which are put back
//! before each. That all of them do the same work is checked first.

mod data;
mod work;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::speed::start::Folder;
use crate::table::{Cell, Column, Table};
use data::Data;
use work::{Task, Tools, Way};

/// How often each figure is taken. The slow way of the script has a number of its own:
/// it takes a minute where the others take milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Starts {
    pub usual: u32,
    pub slow: u32,
}

const COLUMNS: [Column; 7] = [
    Column { title: "lessons", key: "lessons" },
    Column { title: "command", key: "command" },
    Column { title: "by", key: "by" },
    Column { title: "n", key: "n" },
    Column { title: "median ms", key: "median_ms" },
    Column { title: "× hardwon", key: "ratio_to_hardwon" },
    Column { title: "× as shipped", key: "ratio_to_as_shipped" },
];

/// Measures files with these numbers of lessons.
pub fn run(
    program: &Path,
    lessons: &[u64],
    starts: Starts,
    talk: &mut dyn FnMut(&str),
) -> Result<Table, String> {
    if starts.usual == 0 || starts.slow == 0 || lessons.contains(&0) {
        return Err("a bench needs at least one start and one lesson".to_owned());
    }
    version("bash", "https://www.gnu.org/software/bash")?;
    let jq = version("jq", "https://jqlang.org/download")?;
    let folder = Folder::new()?;
    let tools = Tools::new(program, folder.path())?;
    let mut table = table(&jq, tools.jq_start_ms()?);
    for n_lessons in lessons {
        let data = Data::new(*n_lessons);
        talk(&format!("{n_lessons} lessons: checking that all do the same work"));
        table.notes.push(tools.check(&data)?);
        for task in Task::ALL {
            talk(&format!("{n_lessons} lessons: measuring `{}`", task.name()));
            let figures = measure(&tools, &data, task, starts)?;
            table.rows.extend(figures.iter().map(|figure| row(figure, &figures, *n_lessons, task)));
        }
    }
    Ok(table)
}

fn table(jq: &str, jq_start_ms: f64) -> Table {
    let mut notes = vec![
        "Cold processes, page cache warm; the files are put back before each.".to_owned(),
        format!(
            "The script is our own, from ArcheFlow's documents; {jq}, whose mere start takes \
             {jq_start_ms:.0} ms here."
        ),
        "\"a loop\" starts jq and the usual tools per lesson, \"one jq\" one program per file."
            .to_owned(),
        "Hardwon also takes ArcheFlow's lock and syncs what it writes; the script does neither."
            .to_owned(),
    ];
    if cfg!(debug_assertions) {
        notes.push("A debug build: these figures say nothing about the released one.".to_owned());
    }
    let title = "ArcheFlow's memory: Hardwon against a shell script".to_owned();
    Table { title, notes, columns: COLUMNS.to_vec(), rows: Vec::new() }
}

/// The first line that a program says about its version.
fn version(program: &str, page: &str) -> Result<String, String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| {
        format!(
            "cannot run {program} ({error}): the bench compares with a shell script; install \
             {program} with your system's packages or from {page}"
        )
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or(program).trim().to_owned())
}

/// Times of one way, shortest first.
struct Figure {
    way: Way,
    times: Vec<Duration>,
}

impl Figure {
    fn median_ms(&self) -> f64 {
        self.times[(self.times.len() - 1) / 2].as_secs_f64() * 1000.0
    }
}

/// Times all ways in turn, so that what the machine does meanwhile falls on all. The
/// check was the warm-up.
fn measure(tools: &Tools, data: &Data, task: Task, starts: Starts) -> Result<Vec<Figure>, String> {
    let mut figures = Way::ALL.map(|way| Figure { way, times: Vec::new() });
    for turn in 0..starts.usual.max(starts.slow) {
        for figure in &mut figures {
            let n_starts = if figure.way.is_slow() { starts.slow } else { starts.usual };
            if turn < n_starts {
                figure.times.push(tools.time(data, task, figure.way)?);
            }
        }
    }
    figures.iter_mut().for_each(|figure| figure.times.sort_unstable());
    Ok(figures.into())
}

fn row(figure: &Figure, figures: &[Figure], n_lessons: u64, task: Task) -> Vec<Cell> {
    let ms = figure.median_ms();
    let ratio_to = |way| {
        let reference = figures.iter().find(|other| other.way == way && figure.way != way);
        reference.map_or(Cell::Nothing, |other| Cell::Number(ms / other.median_ms(), 1))
    };
    vec![
        Cell::Count(n_lessons),
        Cell::Text(task.name().to_owned()),
        Cell::Text(figure.way.name().to_owned()),
        Cell::Count(figure.times.len() as u64),
        Cell::Number(ms, 2),
        ratio_to(Way::Documented),
        ratio_to(Way::AsShipped),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(way: Way, ms: &[u64]) -> Figure {
        Figure { way, times: ms.iter().copied().map(Duration::from_millis).collect() }
    }

    #[test]
    fn ratios_are_of_medians_and_never_to_oneself() {
        let figures = [
            figure(Way::Documented, &[1, 2, 9]),
            figure(Way::OneJq, &[8]),
            figure(Way::Loop, &[9]),
        ];
        let row = |index: usize| row(&figures[index], &figures, 100, Task::Decay);
        assert_eq!(
            row(0)[3..],
            [Cell::Count(3), Cell::Number(2.0, 2), Cell::Nothing, Cell::Nothing]
        );
        assert_eq!(row(1)[4..], [Cell::Number(8.0, 2), Cell::Number(4.0, 1), Cell::Nothing]);
        assert_eq!(figure(Way::Loop, &[3, 4]).median_ms(), 3.0);
    }

    #[test]
    fn a_missing_program_is_named_with_where_to_get_it() {
        let error = version("no-such-program", "https://example.org").unwrap_err();
        assert!(error.contains("no-such-program") && error.contains("install"), "{error}");
    }
}
