//! What there is to look at besides lessons and runs.

use hardwon_engine::{history, projects as all};

use super::super::route::{Ask, Reply};
use super::super::trouble::Trouble;
use super::super::views;
use super::answered;
use crate::review::review_queue;

pub fn review(ask: &mut Ask<'_>) -> Result<Reply, Trouble> {
    let mut open = ask.reader()?;
    let (memory, call) = open.parts();
    answered(&review_queue(&ask.house.desk.environment, memory, call)?)
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
