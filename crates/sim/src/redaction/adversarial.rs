//! Does the time of redaction grow with the length of a text and no faster, whatever the
//! text holds? Repeats what a rule reacts to and never gets: beginnings without an end.

use std::time::Instant;

use hardwon_core::gate::Gate;

/// The table of shapes, for its beginnings: each of them repeated is a text.
const SHAPES: &str = include_str!("../../../core/data/secret_shapes.txt");

/// Pieces of texts that make a careless scan look at the same bytes again and again.
const PIECES: &[&str] = &[
    "eyJhbGciOi.eyJ",
    "eyJhbGciOiJIUzI1NiJ9.eyJ",
    "eyJhbGciOiJIUzI1NiIsIn.",
    "a",
    "a.",
    "aB3",
    "0123456789abcdef",
    "0f1e2d3c-",
    "password=",
    "password is ",
    "password \"",
    "password: '",
    "token: |\n",
    "heroku key: ",
    "--token ",
    "<password>",
    "value: ",
    "name: API_KEY value: ",
    "[redacted:",
    "[redacted:token]",
    "password=[redacted:token]",
    "[private]",
    "<private>",
    "</private>",
    "-----BEGIN ",
    "-----BEGIN EC PRIVATE KEY-----",
    "-----BEGIN EC PRIVATE KEY-----\n-----END ",
    "https://",
    "https://u:",
    "://@",
    "Bearer ",
    "Basic a",
    "curl -u ",
    "curl--user=",
    "kind: Secret data: ",
    "data:\n a: ",
    "curl -u a:b ",
    "mysql -p",
    "docker login -p ",
    "vault kv put a=",
    "htpasswd -b a ",
    "\"a\" as the password ",
    "x as ",
    "%2F",
    "\\u0026",
    "\\\"",
    "\n",
    " ",
    "=",
    "é",
    "QWxhZGRpbjpvcGVu\n",
    "aB3dE5gH7jK9lM1nO3pQ5rS7tU9vW1xY3zA5bC7dE\n",
];

const SMALL: usize = 64 << 10;
const MIDDLE: usize = 256 << 10;
const LARGE: usize = 1 << 20;

/// A text that grows by more than this where its length grows by four is told.
const MAX_RATIO: f64 = 6.0;

/// So many of the steepest are also measured at the largest size.
const N_LOOKED_AT: usize = 12;

/// What is told of the repeated texts: the steepest and the slowest of them.
pub(super) fn notes(gate: &Gate) -> Vec<String> {
    let mut measured: Vec<Growth> = pieces().into_iter().map(|p| Growth::of(p, gate)).collect();
    measured.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    let n_steep = measured.iter().filter(|growth| growth.ratio() > MAX_RATIO).count();
    let slowest = measured.iter().max_by(|a, b| a.middle.total_cmp(&b.middle));
    let told = |what: &str, growth: &Growth| {
        let large = ms(&growth.piece, LARGE, gate);
        let (small, middle) = (growth.small, growth.middle);
        let ratios = (growth.ratio(), large / middle);
        let piece = &growth.piece;
        let times = format!("{small:.1}, {middle:.1}, {large:.1} ms");
        (ratios.1, format!("{what}: {piece:?}: {times} ({:.1} x, {:.1} x).", ratios.0, ratios.1))
    };
    let steepest = measured.iter().take(N_LOOKED_AT).map(|growth| told("Steepest", growth));
    let steepest = steepest.max_by(|a, b| a.0.total_cmp(&b.0));
    let mut notes = vec![format!(
        "{} repeated pieces at 64 and 256 KB, the steepest also at 1 MB (linear: 4 x each): \
         {n_steep} grow by more than {MAX_RATIO} x.",
        measured.len()
    )];
    notes.extend(steepest.map(|(_, note)| note));
    notes.extend(slowest.map(|growth| told("Slowest", growth).1));
    notes
}

fn pieces() -> Vec<String> {
    let rows = SHAPES.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    let leads = rows.filter_map(|row| row.split("  ").nth(1)).filter(|lead| !lead.contains('{'));
    let begun = leads.map(|lead| format!("{lead}a1B2c3D4e5."));
    PIECES.iter().map(|piece| (*piece).to_owned()).chain(begun).collect()
}

struct Growth {
    piece: String,
    /// Milliseconds at two sizes.
    small: f64,
    middle: f64,
}

impl Growth {
    fn of(piece: String, gate: &Gate) -> Growth {
        let (small, middle) = (ms(&piece, SMALL, gate), ms(&piece, MIDDLE, gate));
        Growth { piece, small, middle }
    }

    fn ratio(&self) -> f64 {
        self.middle / self.small
    }
}

/// The smallest of three: others work on the machine too.
fn ms(piece: &str, size: usize, gate: &Gate) -> f64 {
    let text = piece.repeat(size / piece.len());
    let times = (0..3).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(gate.redacted(std::hint::black_box(&text)));
        begun.elapsed().as_secs_f64() * 1000.0
    });
    times.fold(f64::MAX, f64::min)
}
