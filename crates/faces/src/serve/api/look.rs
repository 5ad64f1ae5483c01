//! What there is to look at besides lessons and runs.

use hardwon_engine::{history, lessons, projects as all};

use super::super::route::{Ask, Reply};
use super::super::trouble::Trouble;
use super::super::views;
use super::answered;

pub fn review(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    answered(&lessons::review_queue(memory, call)?)
}

pub fn report(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    answered(&history::report(memory, call)?)
}

pub fn overview(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    answered(&views::overview(ask.house, &mut open)?)
}

pub fn projects(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    answered(&all::project_list(memory, call)?)
}
