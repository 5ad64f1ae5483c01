//! Plots as inline SVG. Classes give the colours, so light and dark both work and nothing needs
//! an inline style. Words stand outside of the picture, where they keep their size. Each plot
//! has a title, a description and its numbers as a table.

use hardwon_core::effect::{Arm, EffectKind};
use hardwon_core::time::Timestamp;
use maud::{Markup, html};

use super::parts;
use crate::answer::{RunEffect, Word};

/// A series of runs as bars.
pub(super) struct Bars<'a> {
    /// Makes the ids of this plot its own.
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    pub(super) desc: String,
    /// What a bar counts, and what the paler one behind it does.
    pub(super) count: &'a str,
    pub(super) behind: Option<&'a str>,
    pub(super) bars: Vec<Bar>,
    pub(super) now: Timestamp,
}

pub(super) struct Bar {
    pub(super) label: String,
    pub(super) at: Timestamp,
    pub(super) n: u64,
    pub(super) n_behind: u64,
}

/// Width of a bar and its gap, in units of the picture.
const STEP: usize = 10;
const BAR: usize = 8;
const HEIGHT: u64 = 100;

pub(super) fn bars(plot: &Bars<'_>) -> Markup {
    let most = plot.bars.iter().map(|bar| bar.n.max(bar.n_behind)).max().unwrap_or(0).max(1);
    let tall = |n: u64| (n * HEIGHT) as f64 / most as f64;
    // Few bars stay slim.
    let width = plot.bars.len().max(12) * STEP;
    let (title, desc) = (format!("{}-title", plot.name), format!("{}-desc", plot.name));
    let heads: Vec<&str> = ["run", "when", plot.count].into_iter().chain(plot.behind).collect();
    html! {
        figure.plot {
            div.plot-area {
                span.axis.most { (parts::grouped(most)) }
                span.axis.least { "0" }
                svg.bars role="img" aria-labelledby={ (title) " " (desc) }
                    viewBox={ "0 0 " (width) " " (HEIGHT) } preserveAspectRatio="none" {
                    title id=(title) { (plot.title) }
                    desc id=(desc) { (plot.desc) }
                    @for (index, bar) in plot.bars.iter().enumerate() {
                        @if plot.behind.is_some() { (rect("behind", index, tall(bar.n_behind))) }
                        (rect("value", index, tall(bar.n)))
                    }
                }
            }
            (ends(plot))
            (legend(plot))
            (parts::numbers(plot.name, plot.title, &heads, &plot.bars.iter().map(|bar| cells(plot, bar)).collect::<Vec<_>>()))
        }
    }
}

fn rect(class: &str, index: usize, tall: f64) -> Markup {
    let (x, y) = (index * STEP + 1, format!("{:.1}", HEIGHT as f64 - tall));
    html! { rect class=(class) x=(x) y=(y) width=(BAR) height=(format!("{tall:.1}")) {} }
}

/// When the first and the last bar were.
fn ends(plot: &Bars<'_>) -> Markup {
    html! {
        @if let (Some(first), Some(last)) = (plot.bars.first(), plot.bars.last()) {
            div.plot-ends {
                span { (parts::time(first.at, plot.now)) }
                @if plot.bars.len() > 1 { span { (parts::time(last.at, plot.now)) } }
            }
        }
    }
}

fn legend(plot: &Bars<'_>) -> Markup {
    html! {
        @if let Some(behind) = plot.behind {
            figcaption.legend {
                span.key.value { (plot.count) } span.key.behind { (behind) }
            }
        }
    }
}

fn cells(plot: &Bars<'_>, bar: &Bar) -> Vec<String> {
    let mut cells = vec![bar.label.clone(), bar.at.to_string(), bar.n.to_string()];
    cells.extend(plot.behind.map(|_| bar.n_behind.to_string()));
    cells
}

/// A share of a whole as a bar without words: the number stands beside it.
pub(super) fn share(n: u64, most: u64) -> Markup {
    let width = format!("{:.1}", n as f64 * 100.0 / most.max(1) as f64);
    html! {
        svg.share aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none" {
            rect.value x="0" y="0" width=(width) height="10" {}
        }
    }
}

/// A ratio with its interval, from a sixteenth to sixteen times.
pub(super) fn interval(name: &str, value: f64, low: f64, high: f64, told: &str) -> Markup {
    let at = |ratio: f64| (ratio.log2().clamp(-4.0, 4.0) + 4.0) * 25.0;
    let (title, desc) = (format!("{name}-title"), format!("{name}-desc"));
    let wide = format!("{:.1}", at(high) - at(low));
    html! {
        figure.plot {
            svg.interval role="img" aria-labelledby={ (title) " " (desc) } viewBox="0 0 200 20"
                preserveAspectRatio="none" {
                title id=(title) { "Lift with its 90 % interval" }
                desc id=(desc) { (told) }
                rect.axis-line x="0" y="9.5" width="200" height="1" {}
                rect.axis-line x="99.7" y="1" width="0.6" height="18" {}
                rect.behind x=(format!("{:.1}", at(low))) y="6" width=(wide) height="8" {}
                rect.value x=(format!("{:.1}", at(value) - 0.6)) y="3" width="1.2" height="14" {}
            }
            div.plot-ends { span { "fewer repeats" } span { "as many" } span { "more repeats" } }
            (parts::numbers(name, "Lift", &["measure", "repeats when shown, of those when held out"], &[
                vec!["lift".to_owned(), percent(value)],
                vec!["low end of the interval".to_owned(), percent(low)],
                vec!["high end of the interval".to_owned(), percent(high)],
            ]))
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// One opportunity of a lesson, and when its run ended: it was shown or held out, and its finding
/// came back or not.
pub(super) type Opportunity<'a> = (Option<Timestamp>, &'a RunEffect);

/// Without an arm it was shown, and chance had no say.
const HELD_OUT: Option<Word<Arm>> = Some(Word(Arm::HeldOut));

/// Most opportunities in one picture, the newest.
const MAX_MARKS: usize = 60;
const LEFT: usize = 8;
const GAP: usize = 14;

/// Each opportunity as a mark in one of two lanes, by time.
pub(super) fn effects(all: &[Opportunity<'_>], now: Timestamp) -> Markup {
    let newest = &all[all.len().saturating_sub(MAX_MARKS)..];
    let width = newest.len().max(24) * GAP + 2 * LEFT;
    let again = |is_held_out: bool| {
        let lane = newest.iter().filter(|(_, one)| (one.arm == HELD_OUT) == is_held_out);
        let lane: Vec<_> = lane.filter_map(|(_, one)| came_back(one.kind.0)).collect();
        format!("{} of {}", lane.iter().filter(|is_back| **is_back).count(), lane.len())
    };
    let told = format!("Came back in {} when shown, {} when held out.", again(false), again(true));
    html! {
        figure.plot {
            p { (told) @if newest.len() < all.len() { " The newest " (newest.len()) " are drawn." } }
            div.lanes {
                div.lane-names aria-hidden="true" { span { "shown" } span { "held out" } }
                div.scroll tabindex="0" role="region" aria-label="Effect plot" {
                    svg.effects role="img" aria-labelledby="effect-title effect-desc"
                        viewBox={ "0 0 " (width) " 64" } width=(width) height="64" {
                        title #effect-title { "Shown or held out, and what came of it, by time" }
                        desc #effect-desc { (told) }
                        rect.axis-line x="0" y="15.5" width=(width) height="1" {}
                        rect.axis-line x="0" y="47.5" width=(width) height="1" {}
                        @for (index, one) in newest.iter().enumerate() { (mark(index, one)) }
                    }
                }
            }
            figcaption.legend {
                span { "○ stayed away" } span { "◆ came back" } span { "| could not tell" }
            }
            (parts::numbers("effect", "Effects", &["run", "when", "arm", "effect"], &newest.iter().map(|one| row(one, now)).collect::<Vec<_>>()))
        }
    }
}

/// Whether the finding came back; `None` where nobody could tell.
fn came_back(kind: EffectKind) -> Option<bool> {
    match kind {
        EffectKind::Helped => Some(false),
        EffectKind::NoHelp => Some(true),
        EffectKind::Hurt | EffectKind::Contradicted => None,
        EffectKind::Neutral | EffectKind::NoOpportunity => None,
    }
}

fn mark(index: usize, (_, one): &Opportunity<'_>) -> Markup {
    let x = LEFT + index * GAP + GAP / 2;
    let y = if one.arm == HELD_OUT { 48 } else { 16 };
    let label = format!("{}: {}", one.run, parts::words(one.kind));
    html! {
        @match came_back(one.kind.0) {
            Some(false) => circle.away cx=(x) cy=(y) r="5" { title { (label) } },
            Some(true) => path.back d=(format!("M{x} {} l6 6 l-6 6 l-6 -6 z", y - 6)) { title { (label) } },
            None => path.untold d=(format!("M{x} {} v8", y - 4)) { title { (label) } },
        }
    }
}

fn row((at, one): &Opportunity<'_>, now: Timestamp) -> Vec<String> {
    let arm = match one.arm {
        Some(arm) => parts::words(arm),
        None => "shown, not by chance".to_owned(),
    };
    let at = at.map_or("not known".to_owned(), |at| parts::relative(at, now));
    vec![one.run.to_string(), at, arm, parts::words(one.kind)]
}
