//! Can the model that the settings name be asked, and what is left of the caps? Nothing is sent.

use hardwon_core::consult::cap::dollars;
use hardwon_engine::answer::{Decimal, HealthCheck, UsageBy};
use hardwon_engine::{Access, Environment, OpenMemory, Options};
use hardwon_render::check::{failed, ok, warning};

use super::{Whom, open, usage, whom};

const NAME: &str = "model";

/// What there is to say; nothing where no model is asked.
pub fn health(environment: &Environment, options: &Options) -> Vec<HealthCheck> {
    let settings = options.settings(environment);
    let setup = match whom(&settings, None) {
        Ok(Whom::Nobody) => return Vec::new(),
        Ok(Whom::Host) => {
            return vec![ok(NAME, "agents hand in their reflections; no other model is asked")];
        }
        Ok(Whom::Backend(setup)) => setup,
        Err(error) => {
            let fix = "hardwon config model use heuristic".to_owned();
            return vec![failed(NAME, error.to_string(), fix)];
        }
    };
    let name = setup.backend.word();
    if let Err(no_answer) = open(&setup) {
        let fix = format!("hardwon config model use {name}");
        return vec![warning(NAME, format!("{name}: {}", no_answer.reason), fix)];
    }
    let sum = |it: Decimal| dollars((it.0 * 1e6).round() as u64);
    let spent = OpenMemory::open(environment, options, Access::Read).and_then(|opened| {
        let used = usage(&opened.memory, &opened.call, UsageBy::Day, None)?;
        let now = used.spent;
        let (month, cap) = (sum(now.month_usd), sum(now.max_usd_month));
        let last = used.last_failure.map(|it| format!("; last failure: {it}"));
        Ok(format!("{month} of {cap} spent this month{}", last.unwrap_or_default()))
    });
    let spent = spent.unwrap_or_else(|error| error.to_string());
    vec![ok(NAME, format!("{name} can be asked; {spent}"))]
}
