//! `backtest` as a picture: a bar for each way to choose lines, with its interval. Stands for
//! itself: no font, script or style from elsewhere.

use std::fmt::Write;

use hardwon_core::backtest::Chooser;

use crate::answer::{Backtested, Share};
use crate::text;

const WIDTH: f64 = 720.0;
/// Where the bars begin, and how long 100 % is.
const LEFT: f64 = 190.0;
const WHOLE: f64 = 440.0;
const TOP: f64 = 84.0;
const ROW: f64 = 30.0;
const BAR: f64 = 16.0;

/// The picture, as SVG.
pub fn chart(played: &Backtested) -> String {
    let bars = played.forewarned.iter().map(|by| (by.by.as_str(), by.share));
    let bars: Vec<(&str, Share)> = bars.chain([("came up before", played.known)]).collect();
    let bottom = TOP + ROW * bars.len() as f64;
    let height = bottom + 44.0;
    let (title, more) = words(played);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" font-family=\"system-ui, \
         -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\">\n<title>{title}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    label(&mut out, 20.0, 32.0, "start", 17, "#1f2328", &title);
    label(&mut out, 20.0, 54.0, "start", 12, "#59636e", &more);
    for step in 0..=4 {
        let x = LEFT + WHOLE * f64::from(step) / 4.0;
        let _ = writeln!(
            out,
            "<path d=\"M{x} {} V{bottom}\" stroke=\"#d1d9e0\" fill=\"none\"/>",
            TOP - 8.0
        );
        let percent = format!("{} %", step * 25);
        label(&mut out, x, bottom + 18.0, "middle", 11, "#59636e", &percent);
    }
    for (index, (name, share)) in bars.iter().enumerate() {
        bar(&mut out, TOP + ROW * index as f64, name, *share);
    }
    out + "</svg>\n"
}

/// The headline, and what is behind it.
fn words(played: &Backtested) -> (String, String) {
    let ours = played.ours().share.0 * 100.0;
    let title = format!("{ours:.0} % of what came up had been said before");
    (title, text::backtest_headline(played))
}

fn bar(out: &mut String, y: f64, name: &str, share: Share) {
    let colour = match Chooser::from_word(name) {
        Some(Chooser::Hardwon) => "#0969da",
        Some(Chooser::Oracle) | None => "#d1d9e0",
        Some(_) => "#9198a1",
    };
    let middle = y + BAR / 2.0;
    label(out, LEFT - 12.0, middle + 4.0, "end", 13, "#1f2328", name);
    let at = |part: f64| LEFT + WHOLE * part;
    let (length, low, high) = (WHOLE * share.share.0, at(share.low.0), at(share.high.0));
    let _ = writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR}\" rx=\"2\" \
         fill=\"{colour}\"/>\n<path d=\"M{low:.1} {middle} H{high:.1} M{low:.1} {} v8 M{high:.1} \
         {} v8\" stroke=\"#1f2328\" stroke-width=\"1.2\" fill=\"none\"/>",
        middle - 4.0,
        middle - 4.0,
    );
    let value = format!("{:.0} %", share.share.0 * 100.0);
    label(out, LEFT + WHOLE + 24.0, middle + 4.0, "start", 13, "#1f2328", &value);
}

fn label(out: &mut String, x: f64, y: f64, anchor: &str, size: u32, colour: &str, text: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
         fill=\"{colour}\">{text}</text>"
    );
}

#[cfg(test)]
mod tests {
    use hardwon_core::backtest::{Played, RunScore};

    use super::*;

    #[test]
    fn every_way_has_a_bar_as_long_as_its_share() {
        let score = RunScore {
            n_problems: 4,
            n_known: 4,
            n_forewarned: vec![1; Chooser::ALL.len()],
            ..RunScore::default()
        };
        let played = Backtested::of(Played { n_runs: 4, n_blind: 0, scores: vec![score; 3] }, 1);
        let picture = chart(&played);
        let n_bars = picture.matches("width=\"110.0\" height=\"16\"").count();
        assert_eq!(n_bars, Chooser::ALL.len(), "{picture}");
        assert!(picture.contains("<title>25 % of what came up had been said before</title>"));
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    }
}
