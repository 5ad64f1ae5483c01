//! What does a message say once its arguments are in it?

use serde_json::Value;

use crate::report::shortened;

/// A text with `{0}` replaced by the first argument; `{{` is a bracket.
pub fn filled(text: &str, arguments: &[Value]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        if tail.starts_with("{{") || tail.starts_with("}}") {
            out.push_str(&tail[..1]);
            rest = &tail[2..];
            continue;
        }
        let index = tail[1..].split_once('}').filter(|_| tail.starts_with('{'));
        let index = index.and_then(|(digits, after)| Some((digits.parse::<usize>().ok()?, after)));
        let argument =
            index.and_then(|(index, after)| Some((arguments.get(index)?.as_str()?, after)));
        match argument {
            Some((argument, after)) => {
                out.push_str(argument);
                rest = after;
            }
            None => {
                out.push_str(&tail[..1]);
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    shortened(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fill_their_places() {
        let arguments = [Value::from("x"), Value::from(7)];
        let cases = [
            ("no place", "no place"),
            ("'{0}' is unused", "'x' is unused"),
            ("{0}{0}", "xx"),
            ("{1} {2} {a} {", "{1} {2} {a} {"),
            ("{{0}} and }}", "{0} and }"),
        ];
        for (text, expected) in cases {
            assert_eq!(filled(text, &arguments), expected, "{text}");
        }
    }
}
