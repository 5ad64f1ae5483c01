//! A small BERT: what a whole text is about, each word seen among the others. The weights come
//! in as numbers; where they come from is not known here. No framework: six layers of
//! multiplications, written out. Sums are made in a fixed order and the result is rounded to
//! whole numbers, so that what is compared does not depend on the last bits.

use std::collections::HashMap;

use super::pieces::{plain_words, split_word};
use super::{UNIT, Vector};

/// Numbers of each head.
const HEAD: usize = 32;
/// Longest text, in pieces, with its two marks; the rest is not read.
const MAX_PIECES: usize = 256;
const EPSILON: f32 = 1e-12;
/// How many sums run side by side: compilers turn this into vector instructions.
const LANES: usize = 8;
/// How many words go through a layer's weights at once.
const WORDS: usize = 4;

/// Weights with a name, as they stand in a file.
pub type Tensors = HashMap<String, Vec<f32>>;

/// A vocabulary and the layers that read it.
pub struct Model {
    pieces: HashMap<String, usize>,
    begin: usize,
    end: usize,
    unknown: usize,
    encoder: Encoder,
}

struct Encoder {
    n_dims: usize,
    words: Vec<f32>,
    /// Positions, with what every word of a first text adds.
    positions: Vec<f32>,
    first: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: Norm,
    inner: Linear,
    outer: Linear,
    outer_norm: Norm,
}

struct Linear {
    /// One row for each number that comes out, [`LANES`] of them side by side.
    weight: Vec<f32>,
    bias: Vec<f32>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Model {
    /// `vocabulary` has one piece a line. An error names what is missing or does not fit.
    pub fn new(vocabulary: &str, mut tensors: Tensors) -> Result<Model, String> {
        let lines = vocabulary.lines().enumerate();
        let pieces: HashMap<String, usize> =
            lines.map(|(at, piece)| (piece.trim_end().to_owned(), at)).collect();
        let place = |mark: &str| pieces.get(mark).copied().ok_or_else(|| missing(mark));
        let (begin, end, unknown) = (place("[CLS]")?, place("[SEP]")?, place("[UNK]")?);
        let encoder = Encoder::new(&mut tensors)?;
        if encoder.words.len() != pieces.len() * encoder.n_dims {
            return Err("the vocabulary has another size than its weights".to_owned());
        }
        Ok(Model { pieces, begin, end, unknown, encoder })
    }

    /// What a text is about.
    pub fn vector(&self, text: &str) -> Vector {
        let mut ids = vec![self.begin];
        let known = |piece: &str| self.pieces.get(piece).copied();
        for word in plain_words(text) {
            ids.extend(split_word(&word, &known).unwrap_or_else(|| vec![self.unknown]));
        }
        ids.truncate(MAX_PIECES - 1);
        ids.push(self.end);
        self.encoder.vector(&ids)
    }
}

fn missing(name: &str) -> String {
    format!("{name} is missing: not a BERT with word pieces")
}

impl Encoder {
    fn new(tensors: &mut Tensors) -> Result<Self, String> {
        let mut take = |name: &str| tensors.remove(name).ok_or_else(|| missing(name));
        let words = take("embeddings.word_embeddings.weight")?;
        let mut positions = take("embeddings.position_embeddings.weight")?;
        let kinds = take("embeddings.token_type_embeddings.weight")?;
        let first = Norm::new("embeddings.LayerNorm", &mut take)?;
        let n_dims = first.bias.len();
        for row in positions.chunks_exact_mut(n_dims.max(1)) {
            row.iter_mut().zip(&kinds).for_each(|(position, kind)| *position += kind);
        }
        let mut layers = Vec::new();
        while let Ok(query) = Linear::new(&at(layers.len(), "attention.self.query"), &mut take) {
            layers.push(Layer::new(layers.len(), query, &mut take)?);
        }
        let encoder = Encoder { n_dims, words, positions, first, layers };
        if encoder.fits() { Ok(encoder) } else { Err("weights of different sizes".to_owned()) }
    }

    fn fits(&self) -> bool {
        let n = self.n_dims;
        let layers_fit = self.layers.iter().all(|layer| {
            let square = [&layer.query, &layer.key, &layer.value, &layer.mixed];
            let n_inner = layer.inner.bias.len();
            square.iter().all(|linear| linear.fits(n, n))
                && layer.inner.fits(n, n_inner)
                && layer.outer.fits(n_inner, n)
                && [&layer.mixed_norm, &layer.outer_norm].iter().all(|norm| norm.fits(n))
        });
        n > 0
            && n.is_multiple_of(HEAD)
            && !self.layers.is_empty()
            && self.first.fits(n)
            && self.positions.len() >= MAX_PIECES * n
            && layers_fit
    }

    fn vector(&self, ids: &[usize]) -> Vector {
        let n = self.n_dims;
        let mut x = Vec::with_capacity(ids.len() * n);
        for (id, position) in ids.iter().zip(self.positions.chunks_exact(n)) {
            let word = &self.words[id * n..(id + 1) * n];
            x.extend(word.iter().zip(position).map(|(word, position)| word + position));
        }
        self.first.apply(&mut x);
        for layer in &self.layers {
            x = layer.apply(&x, n);
        }
        let mut sum = vec![0f32; n];
        for row in x.chunks_exact(n) {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let length = sum.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt().max(1e-9);
        let rounded = |x: &f32| (f64::from(*x) / length * UNIT as f64).round() as i16;
        Vector(sum.iter().map(rounded).collect())
    }
}

fn at(layer: usize, name: &str) -> String {
    format!("encoder.layer.{layer}.{name}")
}

type Take<'a> = dyn FnMut(&str) -> Result<Vec<f32>, String> + 'a;

impl Layer {
    fn new(number: usize, query: Linear, take: &mut Take<'_>) -> Result<Self, String> {
        Ok(Layer {
            query,
            key: Linear::new(&at(number, "attention.self.key"), take)?,
            value: Linear::new(&at(number, "attention.self.value"), take)?,
            mixed: Linear::new(&at(number, "attention.output.dense"), take)?,
            mixed_norm: Norm::new(&at(number, "attention.output.LayerNorm"), take)?,
            inner: Linear::new(&at(number, "intermediate.dense"), take)?,
            outer: Linear::new(&at(number, "output.dense"), take)?,
            outer_norm: Norm::new(&at(number, "output.LayerNorm"), take)?,
        })
    }

    fn apply(&self, x: &[f32], n: usize) -> Vec<f32> {
        let mixed = attend(&self.query.apply(x), &self.key.apply(x), &self.value.apply(x), n);
        let mut x = added(self.mixed.apply(&mixed), x);
        self.mixed_norm.apply(&mut x);
        let mut inner = self.inner.apply(&x);
        inner.iter_mut().for_each(|x| *x = gelu(*x));
        let mut x = added(self.outer.apply(&inner), &x);
        self.outer_norm.apply(&mut x);
        x
    }
}

fn added(mut a: Vec<f32>, b: &[f32]) -> Vec<f32> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

/// Every word takes over from the others what answers its question, head by head.
fn attend(query: &[f32], key: &[f32], value: &[f32], n: usize) -> Vec<f32> {
    let mut mixed = vec![0f32; query.len()];
    let scale = 1.0 / (HEAD as f32).sqrt();
    for head in (0..n).step_by(HEAD) {
        for (own, mixed) in query.chunks_exact(n).zip(mixed.chunks_exact_mut(n)) {
            let own = &own[head..head + HEAD];
            let keys = key.chunks_exact(n).map(|key| &key[head..head + HEAD]);
            let scores: Vec<f32> = keys.map(|key| dot(own, key) * scale).collect();
            let most = scores.iter().copied().fold(f32::MIN, f32::max);
            let shares: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
            let whole: f32 = shares.iter().sum();
            for (share, value) in shares.iter().zip(value.chunks_exact(n)) {
                let value = &value[head..head + HEAD];
                let into = &mut mixed[head..head + HEAD];
                into.iter_mut().zip(value).for_each(|(into, x)| *into += share / whole * x);
            }
        }
    }
    mixed
}

impl Linear {
    fn new(name: &str, take: &mut Take<'_>) -> Result<Self, String> {
        let weight = take(&format!("{name}.weight"))?;
        let bias = take(&format!("{name}.bias"))?;
        Ok(Linear { weight: panels(&weight, bias.len()), bias })
    }

    fn fits(&self, n_in: usize, n_out: usize) -> bool {
        self.bias.len() == n_out && self.weight.len() == n_in * n_out
    }

    /// Some words and some numbers of what comes out at a time, so that what is read serves
    /// several products.
    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let n_out = self.bias.len();
        let n_in = self.weight.len() / n_out;
        let words: Vec<&[f32]> = x.chunks_exact(n_in).collect();
        let mut out = vec![0f32; words.len() * n_out];
        let panels = self.weight.chunks_exact(LANES * n_in).zip(self.bias.chunks_exact(LANES));
        for (at, (panel, bias)) in (0..).step_by(LANES).zip(panels) {
            for (words, out) in words.chunks(WORDS).zip(out.chunks_mut(WORDS * n_out)) {
                // Where words are missing, the last one is worked out again.
                let sums = products(std::array::from_fn(|n| words[n.min(words.len() - 1)]), panel);
                for (out, sums) in out.chunks_exact_mut(n_out).zip(sums) {
                    let out = out[at..at + LANES].iter_mut();
                    out.zip(sums).zip(bias).for_each(|((out, sum), bias)| *out = sum + bias);
                }
            }
        }
        out
    }
}

/// The weights with [`LANES`] rows side by side, number by number.
fn panels(weight: &[f32], n_out: usize) -> Vec<f32> {
    let n_in = weight.len() / n_out.max(1);
    let mut panels = Vec::with_capacity(weight.len());
    for rows in weight.chunks_exact((LANES * n_in).max(1)) {
        for at in 0..n_in {
            panels.extend((0..LANES).map(|row| rows[row * n_in + at]));
        }
    }
    panels
}

/// What each word makes of a panel. Written out, because compilers spoil it otherwise.
fn products([a, b, c, d]: [&[f32]; WORDS], panel: &[f32]) -> [[f32; LANES]; WORDS] {
    let [mut of_a, mut of_b, mut of_c, mut of_d] = [[0f32; LANES]; WORDS];
    let words = a.iter().zip(b).zip(c.iter().zip(d));
    for (((a, b), (c, d)), weights) in words.zip(panel.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            of_a[lane] += a * weights[lane];
            of_b[lane] += b * weights[lane];
            of_c[lane] += c * weights[lane];
            of_d[lane] += d * weights[lane];
        }
    }
    [of_a, of_b, of_c, of_d]
}

impl Norm {
    fn new(name: &str, take: &mut Take<'_>) -> Result<Self, String> {
        let weight = take(&format!("{name}.weight"))?;
        Ok(Norm { weight, bias: take(&format!("{name}.bias"))? })
    }

    fn fits(&self, n: usize) -> bool {
        self.weight.len() == n && self.bias.len() == n
    }

    fn apply(&self, x: &mut [f32]) {
        let n = self.bias.len();
        for row in x.chunks_exact_mut(n) {
            let mean = row.iter().sum::<f32>() / n as f32;
            row.iter_mut().for_each(|x| *x -= mean);
            let spread = (dot(row, row) / n as f32 + EPSILON).sqrt();
            for (x, (weight, bias)) in row.iter_mut().zip(self.weight.iter().zip(&self.bias)) {
                *x = *x / spread * weight + bias;
            }
        }
    }
}

/// Both of a length that [`LANES`] divides.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

/// With the error function by Abramowitz and Stegun 7.1.26, good to 1.5e-7.
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = 1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4);
    let error = 1.0 - t * (0.254_829_6 + t * (-0.284_496_74 + t * series)) * (-z * z).exp();
    0.5 * x * (1.0 + error.copysign(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &str = "[UNK]\n[CLS]\n[SEP]\na\nb\n##c\n";

    /// Numbers that follow from a name.
    fn tensor(name: &str, n: usize) -> Vec<f32> {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, mix) as u32;
        let number = |at: u32| f64::from(hash.wrapping_add(at.wrapping_mul(2_654_435_761)));
        (0..n as u32).map(|at| (number(at) / 4_294_967_296.0 - 0.5) as f32).collect()
    }

    fn tensors() -> Tensors {
        let (n, n_inner) = (64, 72);
        let mut all = vec![
            ("embeddings.word_embeddings.weight".to_owned(), 6 * n),
            ("embeddings.position_embeddings.weight".to_owned(), MAX_PIECES * n),
            ("embeddings.token_type_embeddings.weight".to_owned(), 2 * n),
        ];
        let mut pair = |name: String, n_weights: usize, n_bias: usize| {
            all.push((format!("{name}.weight"), n_weights));
            all.push((format!("{name}.bias"), n_bias));
        };
        pair("embeddings.LayerNorm".to_owned(), n, n);
        for layer in 0..2 {
            for name in ["self.query", "self.key", "self.value", "output.dense"] {
                pair(at(layer, &format!("attention.{name}")), n * n, n);
            }
            pair(at(layer, "attention.output.LayerNorm"), n, n);
            pair(at(layer, "intermediate.dense"), n * n_inner, n_inner);
            pair(at(layer, "output.dense"), n_inner * n, n);
            pair(at(layer, "output.LayerNorm"), n, n);
        }
        all.into_iter().map(|(name, n)| (name.clone(), tensor(&name, n))).collect()
    }

    #[test]
    fn the_numbers_are_those_of_another_implementation() {
        // By `scripts/model-reference`, which is written in another language.
        let expected = [
            -1177, -23, -295, 375, 477, 323, 1226, 80, -1081, 88, -382, -1351, 269, 121, 980, 82,
            -1132, 16, -470, 1, 103, 194, 717, 185, -37, -6, -553, -159, -24, 497, 514, 43, 1171,
            73, -513, 119, -115, 7, 333, -233, 802, 56, -593, 438, -148, -521, 191, -229, 609, -10,
            -881, 286, -226, 603, 113, -223, 539, -3, -640, 160, -231, 435, 29, -311,
        ];
        let model = Model::new(VOCABULARY, tensors()).unwrap();
        let Vector(found) = model.vector("A bc é");
        let is_near = |(found, expected): (&i16, &i16)| (found - expected).abs() <= 1;
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(&expected).all(is_near), "{found:?}");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let told = |vocabulary: &str, change: &dyn Fn(&mut Tensors)| {
            let mut tensors = tensors();
            change(&mut tensors);
            Model::new(vocabulary, tensors).err().unwrap()
        };
        assert!(told("a\nb", &|_| {}).starts_with("[CLS] is missing"));
        assert!(told("[UNK]\n[CLS]\n[SEP]", &|_| {}).contains("another size"));
        let key = "encoder.layer.1.attention.self.key.bias";
        assert!(told(VOCABULARY, &|all| drop(all.remove(key))).starts_with(key));
        let cut = |all: &mut Tensors| all.get_mut(key).unwrap().truncate(3);
        assert_eq!(told(VOCABULARY, &cut), "weights of different sizes");
    }

    #[test]
    fn a_long_text_is_cut() {
        let model = Model::new(VOCABULARY, tensors()).unwrap();
        assert_eq!(model.vector(&"a ".repeat(300)), model.vector(&"a ".repeat(400)));
    }
}
