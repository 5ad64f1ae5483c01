//! Does memory pay, and under which policy? A small world with planted defects, noisy
//! reviewers and an agent that heeds lessons with some probability, played with every
//! memory under the same luck. Deterministic for a seed; lives in memory only.

mod chance;
mod defects;
mod measure;
mod memory;
mod texts;
mod world;

use std::num::NonZero;
use std::thread;

use hardwon_core::policy::Policy;
use hardwon_engine::{EngineError, policy};

use crate::{Cell, Table, TableRow};
use measure::{Tally, mean};
use memory::{Kept, Memory, Random};
use world::World;

/// How much is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub n_runs: usize,
    /// Each has habits and luck of its own.
    pub n_worlds: usize,
}

impl Size {
    /// A few seconds without optimisation.
    pub const QUICK: Size = Size { n_runs: 60, n_worlds: 5 };
    /// Long enough for lessons to fade.
    pub const WHOLE: Size = Size { n_runs: 300, n_worlds: 20 };
}

/// One memory and what it came to, world by world.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    pub name: String,
    /// How likely its agents heed a line.
    pub heed: f64,
    pub tallies: Vec<Tally>,
}

/// The policy that the others are compared with.
const OURS: &str = "hardwon";

/// How likely agents heed a line, if nobody says.
pub const HEEDS: [f64; 3] = [0.0, 0.5, 0.9];

/// Plays every memory with agents that heed this much, and gives the table.
pub fn run(size: Size, seed: u64, heeds: &[f64]) -> Result<Table, EngineError> {
    let presets = presets()?;
    let mut arms = Vec::new();
    for &heed in heeds {
        arms.extend(compare(size, seed, heed, &presets)?);
    }
    Ok(Table {
        title: format!(
            "simulated loop: {} worlds of {} runs, seeds {seed} to {}",
            size.n_worlds,
            size.n_runs,
            last_seed(size, seed)
        ),
        notes: notes(),
        rows: arms.iter().map(row).collect(),
    })
}

/// Every preset, ours last.
fn presets() -> Result<Vec<Policy>, EngineError> {
    let mut names = policy::names();
    names.sort_by_key(|name| *name == OURS);
    names.into_iter().map(policy::load).collect()
}

/// Plays every memory: none, random lessons, and the product under these policies. Random
/// lessons are as many as under the last of them.
pub fn compare(
    size: Size,
    seed: u64,
    heed: f64,
    policies: &[Policy],
) -> Result<Vec<Arm>, EngineError> {
    let names = policies.iter().map(|policy| policy.name.as_str());
    let all = ["no memory", "random lessons"].into_iter().chain(names);
    let mut arms: Vec<Arm> =
        all.map(|name| Arm { name: name.to_owned(), heed, tallies: Vec::new() }).collect();
    for tallies in worlds(size, seed, heed, policies)? {
        for (arm, tally) in arms.iter_mut().zip(tallies) {
            arm.tallies.push(tally);
        }
    }
    Ok(arms)
}

/// What every memory came to in each world, in the order of the seeds. Worlds know
/// nothing of each other, so each processor may play some of them.
fn worlds(
    size: Size,
    seed: u64,
    heed: f64,
    policies: &[Policy],
) -> Result<Vec<Vec<Tally>>, EngineError> {
    let seeds: Vec<u64> = (seed..=last_seed(size, seed)).collect();
    let n_threads = thread::available_parallelism().map_or(1, NonZero::get);
    let play_some = |seeds: &[u64]| -> Result<Vec<Vec<Tally>>, EngineError> {
        let world = |&seed: &u64| one_world(&World::new(seed, heed), size.n_runs, policies);
        seeds.iter().map(world).collect()
    };
    let parts = thread::scope(|scope| {
        let chunks = seeds.chunks(seeds.len().div_ceil(n_threads));
        let threads: Vec<_> = chunks.map(|seeds| scope.spawn(|| play_some(seeds))).collect();
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut all = Vec::new();
    for part in parts {
        all.extend(part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    Ok(all)
}

fn one_world(world: &World, n_runs: usize, policies: &[Policy]) -> Result<Vec<Tally>, EngineError> {
    let mut kept = Vec::new();
    let mut n_lines = Vec::new();
    for policy in policies {
        let (tally, lines) = kept_by(policy.clone(), world, n_runs)?;
        kept.push(tally);
        n_lines = lines;
    }
    n_lines.resize(n_runs, 0);
    let random = Random::new(world.chance(), &n_lines);
    let (nothing, _) = play(&mut Memory::Nothing, world, n_runs)?;
    let (random, _) = play(&mut Memory::Random(random), world, n_runs)?;
    Ok([nothing, random].into_iter().chain(kept).collect())
}

fn last_seed(size: Size, seed: u64) -> u64 {
    seed.saturating_add(size.n_worlds.max(1) as u64 - 1)
}

fn kept_by(
    policy: Policy,
    world: &World,
    n_runs: usize,
) -> Result<(Tally, Vec<usize>), EngineError> {
    let kept = Kept::new(policy, world.plan(0).at)?;
    let mut memory = Memory::Kept(Box::new(kept));
    let (mut tally, n_lines) = play(&mut memory, world, n_runs)?;
    if let Memory::Kept(kept) = memory {
        tally.n_active = kept.active.len() as u64;
        tally.n_blamed = kept.blamed.len() as u64;
    }
    Ok((tally, n_lines))
}

/// Plays one memory in one world; also how many lines it showed in each run.
fn play(
    memory: &mut Memory<'_>,
    world: &World,
    n_runs: usize,
) -> Result<(Tally, Vec<usize>), EngineError> {
    let mut tally = Tally::default();
    let mut n_lines = Vec::with_capacity(n_runs);
    for number in 0..n_runs {
        let plan = world.plan(number);
        let lines = memory.lines(&plan)?;
        let played = world.play(&plan, &lines);
        tally.count(&plan, &lines, &played);
        memory.learn(&plan, &played)?;
        n_lines.push(lines.len());
    }
    Ok((tally, n_lines))
}

fn row(arm: &Arm) -> TableRow {
    let n_opportunities = arm.tallies.iter().map(|tally| tally.n_opportunities).sum();
    let mut cells = vec![
        ("memory", Cell::Text(arm.name.clone())),
        ("heed", Cell::Number(arm.heed, 1)),
        ("worlds", Cell::Count(arm.tallies.len() as u64)),
        ("opportunities", Cell::Count(n_opportunities)),
    ];
    let figures = [
        ("repeat_rate", "repeat_rate_margin", 100.0, Tally::repeat_rate as fn(&_) -> _),
        ("lines", "lines_margin", 1.0, Tally::lines_per_run),
        ("harmful", "harmful_margin", 1.0, Tally::harmful_showings),
        ("blamed", "blamed_margin", 100.0, Tally::false_blame),
        ("left_out", "left_out_margin", 1.0, Tally::left_out),
    ];
    for (name, margin_name, factor, figure) in figures {
        let mean = mean(arm.tallies.iter().map(figure));
        let cell = |n: Option<f64>| n.map_or(Cell::Nothing, |n| Cell::Number(n * factor, 1));
        cells.push((name, cell(mean.map(|mean| mean.mean))));
        cells.push((margin_name, cell(mean.and_then(|mean| mean.margin))));
    }
    cells
}

fn notes() -> Vec<String> {
    [
        "repeats: defects made again after they were first reported, per chance to make them",
        "harmful: showings of a planted harmful lesson after a reviewer first named it as a cause",
        "heed: how likely an agent heeds a line that stands alone",
        "left out: defects, of 16, that no block warned of in over 20 runs that touch their place \
         after one had",
        "blamed: active lessons about real defects that were put under review or faded",
        "margin: half of a 90 % interval over the worlds; random lessons show as many lines as hardwon",
        "the world is made up: it compares memories with each other, not with real agents",
    ]
    .map(str::to_owned)
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::measure::Mean;
    use super::*;

    const SMALL: Size = Size { n_runs: 12, n_worlds: 2 };

    /// How much more often defects come back than with ours, world by world: all memories
    /// meet the same luck, so this is what can be told apart.
    fn worse_by(arms: &[Arm], name: &str) -> Mean {
        let rates = |name: &str| -> Vec<f64> {
            let arm = arms.iter().find(|arm| arm.name == name).unwrap();
            arm.tallies.iter().filter_map(Tally::repeat_rate).collect()
        };
        let pairs = rates(name).into_iter().zip(rates(OURS));
        mean(pairs.map(|(other, ours)| Some(other - ours))).unwrap()
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let play = |seed| run(SMALL, seed, &[0.8]).unwrap();
        assert_eq!(play(5), play(5));
        assert_ne!(play(5).rows, play(6).rows);
    }

    #[test]
    fn memory_beats_none_and_choosing_beats_chance() {
        let arms = compare(Size::QUICK, 1, 0.8, &presets().unwrap()).unwrap();
        for other in ["no memory", "random lessons"] {
            let worse = worse_by(&arms, other);
            assert!(worse.mean > worse.margin.unwrap(), "{other}: {worse:?}");
        }
    }

    #[test]
    fn what_works_does_not_die_of_its_success() {
        let ours = [policy::load(OURS).unwrap()];
        let size = Size { n_runs: 150, n_worlds: 2 };
        let arms = compare(size, 1, 0.9, &ours).unwrap();
        let left_out = arms[2].tallies.iter().map(|tally| tally.left_out());
        assert_eq!(left_out.collect::<Vec<_>>(), [Some(0.0), Some(0.0)]);
    }

    #[test]
    fn every_preset_has_a_row() {
        let table = run(SMALL, 1, &[0.8]).unwrap();
        assert_eq!(table.rows.len(), policy::names().len() + 2);
        assert_eq!(table.rows.last().unwrap()[0].1, Cell::Text(OURS.to_owned()));
    }
}
