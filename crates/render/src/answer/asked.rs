//! What was asked of a model, and what it cost.

use hardwon_core::consult::cap::{Caps, dollars};
use hardwon_core::consult::money::{Known, LOOKED_UP, Spend};
use hardwon_core::consult::{Consultation, Purpose};
use hardwon_core::vocabulary;
use schemars::JsonSchema;
use serde::Serialize;

use super::lesson::{Hit, NoteHit};
use super::value::{Decimal, Word};

/// One question to a model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Asked {
    pub backend: String,
    pub model: String,
    /// `answered`, `known` (the same was asked before), `not_asked` or `failed`.
    pub outcome: AskedOutcome,
    /// Why it was not asked, or gave nothing.
    pub reason: Option<String>,
    pub cost: Cost,
    /// How the price is known: `free`, `listed`, `set`, or `dearest` for a model in no list.
    pub price: &'static str,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskedOutcome {
    Answered,
    Known,
    NotAsked,
    Failed,
}

/// Tokens, and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Cost {
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub usd: Decimal,
}

impl From<Spend> for Cost {
    fn from(spend: Spend) -> Cost {
        let Spend { tokens_in, tokens_out, micro_usd } = spend;
        Cost { tokens_in, tokens_out, usd: Decimal(usd(micro_usd)) }
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let micro = (self.usd.0 * 1e6).round() as u64;
        write!(f, "{} tokens in, {} out, {}", self.tokens_in, self.tokens_out, dollars(micro))
    }
}

fn usd(micro: u64) -> f64 {
    micro as f64 / 1e6
}

/// How a price is known, in a word.
pub fn price_word(known: Known) -> &'static str {
    match known {
        Known::Free => "free",
        Known::Listed => "listed",
        Known::Set => "set",
        Known::Dearest => "dearest",
    }
}

/// A question that would be asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WouldAsk {
    pub backend: String,
    pub model: String,
    /// The runs that it would be asked about, each with the most that it may cost.
    pub runs: Vec<RunCost>,
    /// All of them together.
    pub most: Cost,
    pub price: &'static str,
    /// When the list of prices was looked up.
    pub prices_of: &'static str,
    /// What was spent already, and what may be.
    pub spent: SpentNow,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunCost {
    pub run: String,
    pub most: Cost,
    /// Lines of its record that are told.
    pub n_lines: u64,
    pub n_left_out: u64,
    /// Why it would not be asked; null if it would.
    pub reason: Option<String>,
}

/// What was spent, and the caps.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SpentNow {
    pub today_usd: Decimal,
    pub month_usd: Decimal,
    pub max_usd_run: Decimal,
    pub max_usd_day: Decimal,
    pub max_usd_month: Decimal,
    pub max_tokens_run: u64,
}

impl SpentNow {
    pub fn new(caps: &Caps, today: Spend, month: Spend) -> SpentNow {
        let sum = |micro| Decimal(usd(micro));
        SpentNow {
            today_usd: sum(today.micro_usd),
            month_usd: sum(month.micro_usd),
            max_usd_run: sum(caps.micro_usd_run),
            max_usd_day: sum(caps.micro_usd_day),
            max_usd_month: sum(caps.micro_usd_month),
            max_tokens_run: caps.tokens_run,
        }
    }
}

impl WouldAsk {
    pub const PRICES_OF: &'static str = LOOKED_UP;
}

/// What models cost, by day, backend or run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelUsage {
    pub by: &'static str,
    /// The newest first; of backends and runs the dearest first.
    pub rows: Vec<UsageRow>,
    pub total: Cost,
    pub spent: SpentNow,
    pub prices_of: &'static str,
    /// The newest question that gave nothing.
    pub last_failure: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UsageRow {
    /// The day, the backend with its model, or what was asked about.
    pub name: String,
    pub n_asked: u64,
    pub n_answered: u64,
    pub cost: Cost,
    /// What it was asked for.
    pub purposes: Vec<Word<Purpose>>,
}

vocabulary! {
    /// By what usage is summed up.
    UsageBy {
        Day = "day",
        Backend = "backend",
        Run = "run",
    }
}

impl UsageBy {
    fn name(self, it: &Consultation) -> String {
        match self {
            UsageBy::Day => it.at.to_string().chars().take(10).collect(),
            UsageBy::Backend => format!("{} {}", it.backend, it.model),
            UsageBy::Run => it.about.join(", "),
        }
    }
}

impl ModelUsage {
    /// Sums up what was asked, which comes newest first.
    pub fn of(all: &[Consultation], by: UsageBy, spent: SpentNow) -> ModelUsage {
        let mut rows: Vec<(UsageRow, Spend)> = Vec::new();
        for it in all {
            let name = by.name(it);
            let place = rows.iter().position(|(row, _)| row.name == name);
            let place = place.unwrap_or_else(|| {
                let cost = Cost::default();
                let row = UsageRow { name, n_asked: 0, n_answered: 0, cost, purposes: Vec::new() };
                rows.push((row, Spend::default()));
                rows.len() - 1
            });
            let (row, sum) = &mut rows[place];
            row.n_asked += 1;
            row.n_answered += u64::from(it.is_answered);
            if !row.purposes.iter().any(|purpose| purpose.0 == it.purpose) {
                row.purposes.push(Word(it.purpose));
            }
            *sum = sum.plus(it.counted());
        }
        if by != UsageBy::Day {
            rows.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.micro_usd, sum.tokens())));
        }
        let total: Spend = rows.iter().map(|(_, sum)| *sum).sum();
        let rows = rows.into_iter().map(|(row, sum)| UsageRow { cost: sum.into(), ..row });
        ModelUsage {
            by: by.word(),
            rows: rows.collect(),
            total: total.into(),
            spent,
            prices_of: LOOKED_UP,
            last_failure: all.iter().find_map(|it| it.failure.clone()),
        }
    }
}

/// What a model would be told.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromptPrinted {
    pub system: String,
    pub text: String,
    /// The JSON schema of the answer.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub schema: serde_json::Value,
}

/// What `model use` set, or would set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelUsed {
    pub backend: String,
    /// Whether it is set now; false if the person said no.
    pub is_set: bool,
    /// What it would cost on the last runs; null for a backend that asks no model.
    pub would: Option<WouldAsk>,
}

/// The answer to a question from memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AskAnswered {
    pub question: String,
    /// In a few sentences, by a model; null without one.
    pub answer: Option<String>,
    /// Whether memory knows something about it.
    #[serde(rename = "known")]
    pub is_known: bool,
    /// Those that the answer cites; without an answer those that fit best.
    pub lessons: Vec<Hit>,
    pub notes: Vec<NoteHit>,
    /// The runs that show what is cited.
    pub runs: Vec<String>,
    /// What it cost; null if no model was asked.
    pub asked: Option<Asked>,
}
