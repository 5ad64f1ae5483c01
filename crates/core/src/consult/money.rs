//! What does a question cost? Counted in millionths of a US dollar; a sum is never rounded down.

use serde::{Deserialize, Serialize};

use crate::list;

/// What models cost: `name = IN/OUT`, in dollars for a million tokens.
const PRICES: &[&str] = list!("prices.txt", "prices");

/// On which day that was looked up.
pub const LOOKED_UP: &str = list!("prices.txt", "looked up")[0];

/// A token has at least this many bytes of ordinary text, in thousandths: an estimate from above.
const THOUSANDTHS_OF_BYTE_PER_TOKEN: u64 = 2_500;

/// What a question takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spend {
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Millionths of a US dollar.
    pub micro_usd: u64,
}

impl Spend {
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    pub fn plus(self, other: Spend) -> Spend {
        Spend {
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }
}

impl std::iter::Sum for Spend {
    fn sum<I: Iterator<Item = Spend>>(all: I) -> Spend {
        all.fold(Spend::default(), Spend::plus)
    }
}

/// What a million tokens cost, in millionths of a US dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub per_million_in: u64,
    pub per_million_out: u64,
}

/// How a price is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nobody is paid for it: a model on this machine, or a subscription.
    Free,
    /// A row of the price file.
    Listed,
    /// The user's own figure.
    Set,
    /// The model is in no row: the dearest one is taken.
    Dearest,
}

impl Price {
    pub const FREE: Price = Price { per_million_in: 0, per_million_out: 0 };

    /// What so many tokens cost, rounded up.
    pub fn of(&self, tokens_in: u64, tokens_out: u64) -> Spend {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let all = part(tokens_in, self.per_million_in) + part(tokens_out, self.per_million_out);
        let micro_usd = u64::try_from(all.div_ceil(1_000_000)).unwrap_or(u64::MAX);
        Spend { tokens_in, tokens_out, micro_usd }
    }

    /// `IN/OUT` in dollars for a million tokens: `0.25/2`.
    pub fn parse(text: &str) -> Option<Price> {
        let (into, out) = text.split_once('/')?;
        Some(Price { per_million_in: micro(into)?, per_million_out: micro(out)? })
    }
}

/// A sum in dollars as millionths; `None` if it is no sum.
pub fn micro(dollars: &str) -> Option<u64> {
    let dollars: f64 = dollars.trim().parse().ok()?;
    let is_sum = dollars.is_finite() && (0.0..=1e9).contains(&dollars);
    is_sum.then_some((dollars * 1e6).ceil() as u64)
}

/// At most so many tokens stand in a text.
pub fn tokens_at_most(text: &str) -> u64 {
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    bytes.saturating_mul(1000).div_ceil(THOUSANDTHS_OF_BYTE_PER_TOKEN)
}

/// The price of a model by the file: that of the longest name with which it begins, in small
/// letters and without the maker in front (`anthropic/…`).
pub fn price(model: &str) -> (Price, Known) {
    let model = model.to_ascii_lowercase();
    let name = model.rsplit('/').next().unwrap_or_default();
    let fits = rows().filter(|(prefix, _)| name.starts_with(prefix));
    match fits.max_by_key(|(prefix, _)| prefix.len()) {
        Some((_, price)) => (price, Known::Listed),
        None => (dearest(), Known::Dearest),
    }
}

fn dearest() -> Price {
    let most =
        |of: fn(&Price) -> u64| rows().map(|(_, price)| of(&price)).max().unwrap_or(u64::MAX);
    Price {
        per_million_in: most(|price| price.per_million_in),
        per_million_out: most(|price| price.per_million_out),
    }
}

fn rows() -> impl Iterator<Item = (&'static str, Price)> {
    PRICES.iter().filter_map(|line| {
        let (name, price) = line.split_once('=')?;
        Some((name.trim(), Price::parse(price.trim())?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_never_rounded_down() {
        let price = Price::parse("1/5").expect("a price");
        assert_eq!(price.of(1_000_000, 0).micro_usd, 1_000_000);
        assert_eq!(price.of(12_345, 678).micro_usd, 12_345 + 5 * 678);
        let odd = Price::parse("0.05/0.4").expect("a price");
        assert_eq!(odd.of(1, 0).micro_usd, 1, "a twentieth of a millionth");
        assert_eq!(odd.of(0, 0).micro_usd, 0);
        assert_eq!(odd.of(u64::MAX, 0).micro_usd, u64::MAX / 20 + 1, "does not overflow");
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for text in ["", "1", "1/", "/1", "a/b", "-1/2", "NaN/1", "inf/1", "1e12/1"] {
            assert_eq!(Price::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_longest_name_wins_and_an_unknown_one_is_the_dearest() {
        let all: Vec<_> = rows().collect();
        assert!(all.len() >= 20, "{}", all.len());
        for (name, price) in &all {
            assert_eq!(super::price(name), (*price, Known::Listed), "{name}");
            let full = format!("maker/{}-2026", name.to_uppercase());
            assert_eq!(super::price(&full).1, Known::Listed, "{full}");
        }
        let (unknown, how) = super::price("no-such-model");
        assert_eq!(how, Known::Dearest);
        assert!(all.iter().all(|(_, price)| price.per_million_out <= unknown.per_million_out));
    }

    #[test]
    fn tokens_are_counted_from_above() {
        // 4 characters a token is usual in English, 2 in other scripts with 3 bytes each.
        assert_eq!(tokens_at_most(""), 0);
        assert_eq!(tokens_at_most("four"), 2);
        assert_eq!(tokens_at_most("이슈 준비"), 6);
    }
}
