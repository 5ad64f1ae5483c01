//! Who asks a model, what for, and what becomes of the answer? The way is always the same: what may
//! be told is gathered and cut to what the caps allow, the most that it may cost is set aside, the
//! model is asked once, the answer is an input like any other, and what it cost is booked.
//!
//! No model is asked unless the user's own settings name a backend.

pub mod archivist;
pub mod merge;
pub mod question;
pub mod read;
mod reflect;

use std::time::Duration;

use hardwon_core::consult::cap::{self, Caps, dollars};
use hardwon_core::consult::money::{Known, Price, tokens_at_most};
use hardwon_core::consult::{Consultation, Proposed, Purpose, Spend};
use hardwon_engine::answer::{
    Asked, AskedOutcome, Cost, Decimal, HealthCheck, ModelUsage, SpentNow, UsageBy, price_word,
};
use hardwon_engine::consult::{self, Planned, Reserved};
use hardwon_engine::episode::Account;
use hardwon_engine::ids::RunId;
use hardwon_engine::model::{Completion, Limits, Model, NoAnswer, Request, Took, Tool};
use hardwon_engine::settings::Settings;
use hardwon_engine::waiting::n_waiting_in_all;
use hardwon_engine::{Access, Call, EngineError, Environment, Memory, OpenMemory, Options, Result};
use hardwon_render::check::{failed, ok, warning};
use hardwon_store::ConsultationQuery;
use serde_json::Value;

use crate::backend::{Backend, Setup};

pub use crate::backend::open;
pub use reflect::{Told, afterwards, handed_in, named, prompt, read_learned, reflect, would_ask};

/// An answer has at most so many tokens.
const TOKENS_OUT: u32 = 1_500;

/// For all tries of one question.
const TIME: Duration = Duration::from_secs(90);

#[derive(Debug)]
pub enum Whom {
    /// Fixed patterns only.
    Nobody,
    /// The agent that did the work, which hands its reflection in through MCP.
    Host,
    Backend(Setup),
}

/// Whom the settings, or a flag for this one time, name.
pub fn whom(settings: &Settings, once: Option<&str>) -> Result<Whom> {
    let text = |key: &str| settings.get(key).map(|set| set.value.clone());
    let set = text("reflect.backend");
    let named = once.or(set.as_deref()).unwrap_or("heuristic");
    let backend = match named {
        "heuristic" => return Ok(Whom::Nobody),
        "host" => return Ok(Whom::Host),
        named => Backend::from_word(named).ok_or_else(|| EngineError::Setting {
            key: "reflect.backend".to_owned(),
            reason: format!("{named} is none of them; `hardwon config keys` lists them"),
        })?,
    };
    // Model, address and key belong to the backend that is set, and to no other one.
    let is_set = set.as_deref() == Some(named);
    let own = |key: &str| text(key).filter(|_| is_set);
    Ok(Whom::Backend(Setup {
        model: own("reflect.model"),
        base_url: own("reflect.base_url"),
        key_env: own("reflect.key_env"),
        key_command: own("reflect.key_command"),
        ..Setup::of(backend)
    }))
}

/// A model that is named and not asked: for what it would be told, and what it would cost.
#[derive(Clone, Debug)]
pub struct OnPaper {
    backend: &'static str,
    model: String,
    is_free: bool,
}

impl OnPaper {
    pub fn of(setup: &Setup) -> OnPaper {
        let is_here = setup.address().ok().flatten().is_some_and(|it| it.is_loopback());
        let is_free = setup.backend.usual().program.is_some() || is_here;
        OnPaper { backend: setup.backend.word(), model: setup.model(), is_free }
    }
}

impl Model for OnPaper {
    fn backend(&self) -> &str {
        self.backend
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_free(&self) -> bool {
        self.is_free
    }

    fn complete(&self, _request: &Request) -> Result<Completion, NoAnswer> {
        Err(NoAnswer::free("nothing is asked in a dry run"))
    }
}

/// What a question may take.
#[derive(Clone, Copy, Debug)]
struct Room {
    price: Price,
    known: Known,
    /// Tokens of what is told, at most.
    tokens_in: u64,
}

/// How much may be told: what the caps of one run leave after the answer, and never more than a
/// model reads with attention.
fn room(settings: &Settings, model: &dyn Model) -> Room {
    const MAX_TOKENS_IN: u64 = 16_000;
    let (price, known) = consult::price(settings, model);
    let Caps { micro_usd_run, tokens_run, .. } = consult::caps(settings);
    let out = price.of(0, u64::from(TOKENS_OUT)).micro_usd;
    let left = u128::from(micro_usd_run.saturating_sub(out)) * 1_000_000;
    let affordable = match left.checked_div(u128::from(price.per_million_in)) {
        None => u64::MAX,
        Some(tokens) => u64::try_from(tokens).unwrap_or(u64::MAX),
    };
    let by_tokens = tokens_run.saturating_sub(u64::from(TOKENS_OUT));
    Room { price, known, tokens_in: MAX_TOKENS_IN.min(affordable).min(by_tokens) }
}

/// A question with all that is needed to ask it.
struct Question {
    planned: Planned,
    request: Request,
    room: Room,
}

/// What a question is made of, what it is for, and what it is about.
struct Words {
    purpose: Purpose,
    about: Vec<String>,
    evidence: String,
    system: String,
    text: String,
    shape: Tool,
}

impl Words {
    /// Tokens that are sent, at most.
    fn tokens(&self) -> u64 {
        let shape = self.shape.schema.to_string();
        [&self.system, &self.text, &shape].into_iter().map(|text| tokens_at_most(text)).sum()
    }
}

impl Question {
    fn new(model: &dyn Model, room: Room, words: Words) -> Question {
        let most = room.price.of(words.tokens(), u64::from(TOKENS_OUT));
        let Words { purpose, about, evidence, system, text, shape } = words;
        // None where nothing is paid: a program would give up by what it reckons itself.
        let limits = Limits { tokens_out: TOKENS_OUT, time: TIME, micro_usd: most.micro_usd };
        let (backend, model) = (model.backend().to_owned(), model.model().to_owned());
        Question {
            planned: Planned { purpose, about, evidence, backend, model, most },
            request: Request { system, text, shape, limits },
            room,
        }
    }

    fn asked(&self, outcome: AskedOutcome, reason: Option<String>, cost: Spend) -> Asked {
        Asked {
            backend: self.planned.backend.clone(),
            model: self.planned.model.clone(),
            outcome,
            reason,
            cost: Cost::from(cost),
            price: price_word(self.room.known),
        }
    }
}

/// What became of asking.
enum Outcome {
    /// The answer; it is booked when it has been used.
    Answered(Value, Box<Consultation>),
    /// The same was answered before.
    Known,
    /// Not asked, or without an answer, and why. Whether a cap said no.
    Nothing { is_cap: bool },
}

/// Sets the money aside and asks.
fn ask(
    memory: &mut Memory,
    call: &Call,
    model: &dyn Model,
    question: &Question,
) -> Result<(Outcome, Asked)> {
    use AskedOutcome::{Answered, Failed, Known, NotAsked};
    let not_asked =
        |outcome, how, reason| Ok((outcome, question.asked(how, Some(reason), Spend::default())));
    let reserved = match consult::reserve(memory, call, &question.planned)? {
        Reserved::Go(reserved) => reserved,
        Reserved::Asked(known) => {
            return not_asked(Outcome::Known, Known, format!("asked before: {}", known.id));
        }
        Reserved::UnderWay(other) => {
            return not_asked(Outcome::Nothing { is_cap: false }, NotAsked, other.is_asked_now());
        }
        Reserved::Over(over) => {
            return not_asked(Outcome::Nothing { is_cap: true }, NotAsked, over.to_string());
        }
    };
    let spent = |took: Option<Took>| took.map(|took| booked(&question.room, took));
    match model.complete(&question.request) {
        Ok(Completion { value, took, model }) => {
            let after = Consultation { spent: spent(took), model, ..(*reserved).clone() };
            let asked = question.asked(Answered, None, after.counted());
            consult::settle(memory, call, &reserved, &after)?;
            Ok((Outcome::Answered(value, Box::new(after)), asked))
        }
        Err(NoAnswer { is_free, reason, took }) => {
            let spent = spent(took).or(is_free.then(Spend::default));
            let failure = Some(reason.clone());
            let after = Consultation { spent, failure, ..(*reserved).clone() };
            consult::settle(memory, call, &reserved, &after)?;
            let asked = question.asked(Failed, Some(reason), after.counted());
            Ok((Outcome::Nothing { is_cap: false }, asked))
        }
    }
}

/// What an answer cost: as the backend says, else by the price.
fn booked(room: &Room, took: Took) -> Spend {
    let by_price = room.price.of(took.tokens_in, took.tokens_out);
    match took.micro_usd {
        // A subscription is not paid by the token, whatever its program reckons.
        Some(_) if room.known == Known::Free => by_price,
        Some(micro_usd) => Spend { micro_usd, ..by_price },
        None => by_price,
    }
}

/// Notes that an answer was used.
fn conclude(memory: &mut Memory, call: &Call, asked: &Consultation) -> Result<()> {
    let after = Consultation { is_answered: true, ..asked.clone() };
    consult::settle(memory, call, asked, &after)
}

/// Notes why an answer was of no use.
fn give_up(memory: &mut Memory, call: &Call, asked: &Consultation, reason: &str) -> Result<()> {
    let after = Consultation { failure: Some(reason.to_owned()), ..asked.clone() };
    consult::settle(memory, call, asked, &after)
}

/// What is kept of what the model said about the run.
fn accounted(memory: &Memory, call: &Call, run: &RunId) -> Result<Account> {
    let tree = memory.store.tree(&call.project, run)?;
    let run = tree.runs.into_iter().find(|known| known.id == *run);
    Ok(run.and_then(|run| run.episode.account).unwrap_or_default())
}

/// What models cost, summed up.
pub fn usage(memory: &Memory, call: &Call, by: UsageBy, days: Option<u32>) -> Result<ModelUsage> {
    const MS_PER_DAY: i64 = 86_400_000;
    let start = |days: u32| call.now.0.saturating_sub(i64::from(days) * MS_PER_DAY);
    let since = days.map(|days| hardwon_core::time::Timestamp(start(days)));
    let query = ConsultationQuery { since, ..ConsultationQuery::default() };
    let all: Vec<Consultation> =
        memory.store.consultations(&query)?.into_iter().map(|(_, it)| it).collect();
    Ok(ModelUsage::of(&all, by, spent_now(memory, call)?))
}

/// What a model, or an agent in its place, proposes about lessons.
pub fn proposal(is_yes: Option<bool>, reason: String) -> Proposed {
    Proposed { is_yes, reason, ..Proposed::default() }
}

/// What was spent today and this month, and what may be.
pub fn spent_now(memory: &Memory, call: &Call) -> Result<SpentNow> {
    let (_, month) = cap::beginnings(call.now);
    let query = ConsultationQuery { since: Some(month), ..ConsultationQuery::default() };
    let all = memory.store.consultations(&query)?;
    let spent = cap::spent(all.iter().map(|(_, it)| it), &[], call.now);
    Ok(SpentNow::new(&consult::caps(&memory.settings), spent.day, spent.month))
}

const NAME: &str = "model";

/// That sessions wait for a model to read them, if they do.
fn waiting(environment: &Environment) -> Option<HealthCheck> {
    let n = n_waiting_in_all(environment);
    let said = format!(
        "no model is set: {n} waiting to be read, for 30 days at most; \
                        `hardwon config model use NAME` sets one, `hardwon reflect --pending` reads"
    );
    (n > 0).then(|| ok(NAME, said))
}

/// What there is to say; nothing where no model is asked and nothing waits for one.
pub fn health(environment: &Environment, options: &Options) -> Vec<HealthCheck> {
    let settings = options.settings(environment);
    let setup = match whom(&settings, None) {
        Ok(Whom::Nobody) => return waiting(environment).into_iter().collect(),
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
