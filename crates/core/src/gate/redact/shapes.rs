//! Which secrets are recognized by their own shape? The table is `data/secret_shapes.txt`,
//! which says how its rows are read; how a shape is matched is in `scan`.

use std::sync::LazyLock;

/// Which bytes a part of a secret is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    Digit,
    Hex,
    /// Capitals and digits.
    Capital,
    Alnum,
    Word,
    Dash,
    Base64Url,
    /// Both alphabets, with the padding.
    Base64,
    Dotted,
    /// The same with `=`, wherever it stands.
    Padded,
    /// Also as a query (`%2F`) or JSON (`\/`) spells it.
    Path,
    /// Base64, also as a query spells it.
    Coded,
}

impl Set {
    pub(super) fn has(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Set::Digit => byte.is_ascii_digit(),
            Set::Hex => byte.is_ascii_hexdigit(),
            Set::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Set::Alnum => alnum,
            Set::Word => alnum || byte == b'_',
            Set::Dash => alnum || byte == b'-',
            Set::Base64Url => alnum || matches!(byte, b'_' | b'-'),
            Set::Base64 => alnum || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
            Set::Dotted => alnum || matches!(byte, b'_' | b'-' | b'.' | b'~'),
            Set::Padded => alnum || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'='),
            Set::Path => alnum || matches!(byte, b'_' | b'-' | b'/' | b'%' | b'\\' | b'@' | b'+'),
            Set::Coded => alnum || matches!(byte, b'+' | b'/' | b'=' | b'%'),
        }
    }
}

/// What must be true of the parts beyond their alphabets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Not one letter repeated: `xxxxxxxx` is an example, not a secret.
    Varied,
    WithDigit,
    Random,
    Odd,
    Mixed,
}

/// `min..=max` bytes of one set, as many as there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub set: Set,
    pub min: usize,
    pub max: usize,
}

/// The `max` of a run without an upper bound.
pub(super) const OPEN_END: usize = usize::MAX;

#[derive(Debug)]
pub(super) enum Part {
    Literal(&'static str),
    Run(Run),
}

/// A row of the table.
#[derive(Debug)]
pub(super) struct Shape {
    pub family: &'static str,
    pub lead: &'static str,
    /// What follows the lead; the first is a run.
    pub parts: &'static [Part],
    pub look: Look,
    pub is_anywhere: bool,
    pub keeps_lead: bool,
}

impl Shape {
    pub(super) fn last_run(&self) -> Run {
        let is_run = |part: &Part| match part {
            Part::Run(run) => Some(*run),
            Part::Literal(_) => None,
        };
        self.parts.iter().rev().find_map(is_run).expect("the first part is a run")
    }
}

static SHAPES: &[Shape] = include!(concat!(env!("OUT_DIR"), "/shapes.rs"));

/// For each byte, the shapes that can begin with it, in the order of the table. Made when
/// the first text is scanned.
pub(super) static STARTS: LazyLock<Vec<Vec<&Shape>>> = LazyLock::new(|| {
    let mut starts = vec![Vec::new(); 256];
    for shape in SHAPES {
        match (shape.lead.bytes().next(), &shape.parts[0]) {
            (Some(first), _) => starts[usize::from(first)].push(shape),
            (None, Part::Run(body)) => (0..=u8::MAX)
                .filter(|byte| body.set.has(*byte))
                .for_each(|byte| starts[usize::from(byte)].push(shape)),
            (None, Part::Literal(_)) => {}
        }
    }
    starts
});
