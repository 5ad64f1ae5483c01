//! Money for a question to a model: reserved before it is asked, settled when the answer is there.
//! Both are written, so that whoever is killed in between has spent it, and several processes
//! together stay below the caps.

use hardwon_core::change::Change;
use hardwon_core::consult::cap::{self, Caps, OverCap};
use hardwon_core::consult::money::{self, Known, Price};
use hardwon_core::consult::{Consultation, Purpose, Spend, id};
use hardwon_store::ConsultationQuery;

use crate::memory::{Call, Memory, Result};
use crate::model::Model;
use crate::settings::Settings;
use crate::write::{Command, write};

/// A question that is older than this is not being asked any more, whatever became of it.
const MAX_ASKING_MS: i64 = 120_000;

pub fn caps(settings: &Settings) -> Caps {
    let usual = Caps::default();
    let dollars = |key: &str, usual: u64| {
        settings.get(key).and_then(|set| money::micro(&set.value)).unwrap_or(usual)
    };
    let tokens = settings.count("reflect.max_tokens_run").map(u64::from);
    Caps {
        micro_usd_run: dollars("reflect.max_usd_run", usual.micro_usd_run),
        micro_usd_day: dollars("reflect.max_usd_day", usual.micro_usd_day),
        micro_usd_month: dollars("reflect.max_usd_month", usual.micro_usd_month),
        tokens_run: tokens.unwrap_or(usual.tokens_run),
    }
}

/// What a model costs, and how that is known.
pub fn price(settings: &Settings, model: &dyn Model) -> (Price, Known) {
    let set = settings.get("reflect.usd_per_mtok").and_then(|set| Price::parse(&set.value));
    match set {
        Some(price) => (price, Known::Set),
        None if model.is_free() => (Price::FREE, Known::Free),
        None => money::price(model.model()),
    }
}

/// A question that is about to be asked.
#[derive(Clone, Debug)]
pub struct Planned {
    pub purpose: Purpose,
    pub about: Vec<String>,
    /// Digest of what is asked.
    pub evidence: String,
    pub backend: String,
    pub model: String,
    /// The most that it may cost.
    pub most: Spend,
}

/// Whether a question may be asked.
#[derive(Clone, Debug)]
pub enum Reserved {
    /// Yes, and the money is set aside.
    Go(Box<Consultation>),
    /// The same was asked and answered.
    Asked(Box<Consultation>),
    /// Another process is asking it, or died while it did.
    UnderWay(Box<Consultation>),
    Over(OverCap),
}

/// Sets aside what a question may cost.
pub fn reserve(memory: &mut Memory, call: &Call, planned: &Planned) -> Result<Reserved> {
    let (_, reserved) = write(memory, call, &Command::new("ask a model"), &mut |memory, _| {
        let decided = decide(memory, call, planned)?;
        let changes = match &decided {
            Reserved::Go(consultation) => {
                vec![Change::AddConsultation { consultation: consultation.clone() }]
            }
            Reserved::Asked(_) | Reserved::UnderWay(_) | Reserved::Over(_) => Vec::new(),
        };
        Ok((changes, decided))
    })?;
    Ok(reserved)
}

/// Why a question would not be asked, if it would not; nothing is set aside.
pub fn refusal(memory: &Memory, call: &Call, planned: &Planned) -> Result<Option<String>> {
    Ok(match decide(memory, call, planned)? {
        Reserved::Go(_) => None,
        Reserved::Asked(known) => Some(format!("asked before: {}", known.id)),
        Reserved::UnderWay(other) => Some(other.is_asked_now()),
        Reserved::Over(over) => Some(over.to_string()),
    })
}

fn decide(memory: &Memory, call: &Call, planned: &Planned) -> Result<Reserved> {
    let evidence = Some(planned.evidence.clone());
    let project = Some(call.project.clone());
    let query = ConsultationQuery { project, evidence, ..ConsultationQuery::default() };
    let before = memory.store.consultations(&query)?;
    let is_it = |it: &&Consultation| it.purpose == planned.purpose;
    let before: Vec<&Consultation> = before.iter().map(|(_, it)| it).filter(is_it).collect();
    if let Some(known) = before.iter().find(|it| it.is_answered) {
        return Ok(Reserved::Asked(Box::new((*known).clone())));
    }
    let is_open = |it: &&&Consultation| {
        let age = call.now.0.saturating_sub(it.at.0);
        it.spent.is_none() && it.failure.is_none() && (0..MAX_ASKING_MS).contains(&age)
    };
    if let Some(other) = before.iter().find(is_open) {
        return Ok(Reserved::UnderWay(Box::new((*other).clone())));
    }
    let all = spent_since(memory, call)?;
    let spent = cap::spent(all.iter(), &planned.about, call.now);
    if let Err(over) = cap::check(&caps(&memory.settings), &spent, planned.most) {
        return Ok(Reserved::Over(over));
    }
    Ok(Reserved::Go(Box::new(Consultation {
        id: id(planned.purpose, &planned.evidence, before.len()),
        purpose: planned.purpose,
        about: planned.about.clone(),
        evidence: planned.evidence.clone(),
        backend: planned.backend.clone(),
        model: planned.model.clone(),
        at: call.now,
        reserved: planned.most,
        spent: None,
        is_answered: false,
        failure: None,
        proposed: None,
    })))
}

/// What counts against the caps: all of this month, and all about runs of this project.
fn spent_since(memory: &Memory, call: &Call) -> Result<Vec<Consultation>> {
    let (_, month) = cap::beginnings(call.now);
    let since = ConsultationQuery { since: Some(month), ..ConsultationQuery::default() };
    let mut all = memory.store.consultations(&since)?;
    let project = Some(call.project.clone());
    let own = ConsultationQuery { project, ..ConsultationQuery::default() };
    let older = memory.store.consultations(&own)?;
    all.extend(older.into_iter().filter(|(_, it)| it.at < month));
    Ok(all.into_iter().map(|(_, it)| it).collect())
}

/// Books what a question cost and gave.
pub fn settle(
    memory: &mut Memory,
    call: &Call,
    before: &Consultation,
    after: &Consultation,
) -> Result<()> {
    let change = Change::EditConsultation {
        before: Box::new(before.clone()),
        after: Box::new(after.clone()),
    };
    let changes = if before == after { Vec::new() } else { vec![change] };
    let command = Command::new("ask a model");
    write(memory, call, &command, &mut |_, _| Ok((changes.clone(), ())))?;
    Ok(())
}
