//! Counts of a lesson's applications that came from another system.

use serde::{Deserialize, Serialize};

use crate::effect::EffectCounts;

/// How far another system's counts of a lesson's applications differ from the effects that are
/// known here; below zero where it counted fewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Carried {
    pub n_helped: i32,
    pub n_hurt: i32,
    pub n_contradicted: i32,
    pub n_neutral: i32,
}

impl Carried {
    /// The difference that makes these counts of those.
    ///
    /// ```
    /// use hardwon_core::effect::EffectCounts;
    /// use hardwon_core::lesson::Carried;
    ///
    /// let told = EffectCounts { n_helped: 3, n_hurt: 1, ..EffectCounts::default() };
    /// let known = EffectCounts { n_helped: 1, n_no_help: 2, ..EffectCounts::default() };
    /// let carried = Carried::between(told, known);
    /// assert_eq!((carried.n_helped, carried.n_hurt), (2, -1));
    /// assert_eq!(carried.added_to(known).n_tried(), 5);
    /// ```
    pub fn between(told: EffectCounts, known: EffectCounts) -> Self {
        let difference = |told: u32, known: u32| {
            let difference = i64::from(told) - i64::from(known);
            difference.clamp(i32::MIN.into(), i32::MAX.into()) as i32
        };
        let n_neutral = |it: EffectCounts| it.n_neutral.saturating_add(it.n_no_opportunity);
        let n_failed = |it: EffectCounts| it.n_hurt.saturating_add(it.n_no_help);
        Carried {
            n_helped: difference(told.n_helped, known.n_helped),
            n_hurt: difference(n_failed(told), n_failed(known)),
            n_contradicted: difference(told.n_contradicted, known.n_contradicted),
            n_neutral: difference(n_neutral(told), n_neutral(known)),
        }
    }

    /// What is known, and what was counted elsewhere.
    pub fn added_to(self, known: EffectCounts) -> EffectCounts {
        let Carried { n_helped, n_hurt, n_contradicted, n_neutral } = self;
        EffectCounts {
            n_helped: known.n_helped.saturating_add_signed(n_helped),
            n_hurt: known.n_hurt.saturating_add_signed(n_hurt),
            n_contradicted: known.n_contradicted.saturating_add_signed(n_contradicted),
            n_neutral: known.n_neutral.saturating_add_signed(n_neutral),
            ..known
        }
    }
}
