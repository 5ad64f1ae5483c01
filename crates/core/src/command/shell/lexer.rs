//! Where does one token of a command line end and the next begin?

/// What joins two commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`, or the end of a line
    Then,
    /// `|`, `|&`
    Pipe,
    /// `&`
    Background,
    /// `(`
    Open,
    /// `)`
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    Operator(Operator),
    /// `2>&1`, `>log`; without its target if a blank stands before that.
    Redirection {
        has_target: bool,
    },
}

/// A piece of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind,
    /// As it was typed, quotes and all.
    pub text: &'a str,
    /// Whether a blank stands before it.
    pub is_apart: bool,
}

impl Token<'_> {
    pub fn operator(&self) -> Option<Operator> {
        match self.kind {
            TokenKind::Operator(operator) => Some(operator),
            TokenKind::Word | TokenKind::Redirection { .. } => None,
        }
    }
}

/// The longest first, so that `&&` is not two `&`.
const OPERATORS: &[(&str, Operator)] = &[
    ("&&", Operator::And),
    ("||", Operator::Or),
    ("|&", Operator::Pipe),
    (";;", Operator::Then),
    ("|", Operator::Pipe),
    (";", Operator::Then),
    ("&", Operator::Background),
    ("(", Operator::Open),
    (")", Operator::Close),
    ("\n", Operator::Then),
];

const REDIRECTIONS: &[&str] =
    &["&>>", "<<<", "<<-", "&>", ">>", ">|", ">&", "<<", "<&", "<>", ">", "<"];

/// The tokens of a line, in order.
///
/// An end of a line counts as `;` between commands and is passed over elsewhere; what
/// follows `<<` up to its end mark belongs to that redirection.
pub fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let (mut at, mut is_apart) = (0, false);
    while at < line.len() {
        let rest = &line[at..];
        let n_blank = blank_length(rest);
        if n_blank > 0 {
            (at, is_apart) = (at + n_blank, true);
            continue;
        }
        let (kind, length) = token_at(rest);
        let text = &rest[..length];
        let is_break = text == "\n";
        let n_document = if is_break { here_document(&tokens, &rest[1..]) } else { 0 };
        if !is_break || tokens.last().is_some_and(|last| last.operator().is_none()) {
            tokens.push(Token { kind, text, is_apart });
        }
        (at, is_apart) = (at + length + n_document, is_break);
    }
    if tokens.last().is_some_and(|last| last.text == "\n") {
        tokens.pop();
    }
    tokens
}

/// Blanks, and ends of lines that are escaped.
fn blank_length(rest: &str) -> usize {
    if rest.starts_with("\\\n") {
        return 2;
    }
    let is_blank = |c: &char| c.is_whitespace() && *c != '\n';
    rest.chars().next().filter(is_blank).map_or(0, char::len_utf8)
}

fn token_at(rest: &str) -> (TokenKind, usize) {
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let sign = REDIRECTIONS.iter().find(|sign| rest[n_digits..].starts_with(**sign));
    let is_substitution = rest.starts_with("<(") || rest.starts_with(">(");
    if let Some(sign) = sign.filter(|_| !is_substitution) {
        let n_sign = n_digits + sign.len();
        let n_target = word_length(&rest[n_sign..]);
        return (TokenKind::Redirection { has_target: n_target > 0 }, n_sign + n_target);
    }
    if let Some((sign, operator)) = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign)) {
        return (TokenKind::Operator(*operator), sign.len());
    }
    let n_sign = if is_substitution { 1 + closed_by(&rest[1..], '(', ')') } else { 0 };
    (TokenKind::Word, n_sign + word_length(&rest[n_sign..]))
}

/// Up to a blank or a sign of the shell outside quotes.
fn word_length(rest: &str) -> usize {
    let mut at = 0;
    while let Some(c) = rest[at..].chars().next() {
        let here = &rest[at..];
        at += match c {
            '\\' if here.starts_with("\\\n") => break,
            '\\' => 1 + here[1..].chars().next().map_or(0, char::len_utf8),
            '\'' | '`' => quoted_length(here, c),
            '"' => quoted_length(here, c),
            '$' if here.starts_with("$(") => 1 + closed_by(&here[1..], '(', ')'),
            '$' if here.starts_with("${") => 1 + closed_by(&here[1..], '{', '}'),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' => break,
            c if c.is_whitespace() => break,
            c => c.len_utf8(),
        };
    }
    at
}

/// What is quoted, with its quotes; to the end if it never closes.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped && quote != '\'';
    }
    rest.len()
}

/// From a bracket to the one that closes it; to the end if none does.
fn closed_by(rest: &str, open: char, close: char) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(c) = rest[at..].chars().next() {
        at += match c {
            '\'' | '"' => quoted_length(&rest[at..], c),
            c => c.len_utf8(),
        };
        depth += usize::from(c == open);
        depth -= usize::from(c == close);
        if depth == 0 {
            break;
        }
    }
    at
}

/// How long the text is that the last `<<` of this line takes from the lines below it.
fn here_document(tokens: &[Token<'_>], below: &str) -> usize {
    let start = tokens.iter().rposition(|token| token.text == "\n").map_or(0, |place| place + 1);
    let line = &tokens[start..];
    let is_here =
        |token: &Token<'_>| token.text.starts_with("<<") && !token.text.starts_with("<<<");
    let Some(place) = line.iter().rposition(is_here) else { return 0 };
    let mark = line[place].text.trim_start_matches(['<', '-']);
    let mark = match (mark, line.get(place + 1)) {
        ("", Some(next)) => next.text,
        (mark, _) => mark,
    };
    let mark = mark.trim_matches(['"', '\'', '\\']);
    let mut length = 0;
    for row in below.split_inclusive('\n') {
        length += row.len();
        if row.trim() == mark {
            break;
        }
    }
    length
}
