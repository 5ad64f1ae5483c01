//! The lift in words: `prevents 31 % ± 9 of repeats, 210 opportunities`.

use hardwon_core::lesson::Arms;

use crate::answer::Lift;

/// While nothing was held out.
const NOT_KNOWN: &str = "not known yet (needs hold-out runs)";

/// The lift of one lesson, or how far measuring has come.
pub(crate) fn one_lesson(lift: Option<&Lift>, arms: &Arms) -> String {
    match lift {
        Some(lift) => measured(lift, "prevents", "brings"),
        None if arms.n_opportunities() == 0 => NOT_KNOWN.to_owned(),
        None => {
            format!("not known yet ({} shown, {} held out so far)", arms.n_shown, arms.n_held_out)
        }
    }
}

/// The lift of all lessons together.
pub(crate) fn all_lessons(lift: Option<&Lift>) -> String {
    lift.map_or(NOT_KNOWN.to_owned(), |lift| {
        format!("all lessons together {}", measured(lift, "prevent", "bring"))
    })
}

fn measured(lift: &Lift, prevents: &str, brings: &str) -> String {
    let percent = |share: f64| (share.abs() * 100.0).round();
    let (value, low, high) = (lift.value.0, lift.low.0, lift.high.0);
    let (size, half) = (percent(value), percent((value - low).max(high - value)));
    let what = if value < 0.0 {
        format!("{brings} {size} % ± {half} more repeats")
    } else {
        format!("{prevents} {size} % ± {half} of repeats")
    };
    let Lift { n_shown, n_shown_again, n_held_out, n_held_out_again, .. } = lift;
    let n = n_shown + n_held_out;
    format!(
        "{what}, {n} opportunities (came back in {n_shown_again} of {n_shown} when shown, \
         {n_held_out_again} of {n_held_out} when held out)"
    )
}
