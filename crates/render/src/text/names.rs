//! Lessons under the ids that another system's users know: `m-007` instead of `l-g736gph`.

use std::collections::BTreeMap;

/// What a lesson is called instead of by its id.
#[derive(Clone, Debug, Default)]
pub struct Names(pub BTreeMap<String, String>);

impl Names {
    /// The text with every known id replaced; a column keeps its width.
    pub fn put_into(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("l-") {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let is_part = out.ends_with(is_inside);
            let length =
                2 + from[2..].find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(from.len() - 2);
            let (id, after) = from.split_at(length);
            match self.0.get(id).filter(|_| !is_part) {
                Some(name) => {
                    out.push_str(name);
                    if after.starts_with("  ") {
                        out.extend(std::iter::repeat_n(' ', id.len().saturating_sub(name.len())));
                    }
                }
                None => out.push_str(id),
            }
            rest = after;
        }
        out + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_replaced_where_it_stands_by_itself() {
        let names = BTreeMap::from([("l-jq1ept9".to_owned(), "m-003".to_owned())]);
        let names = Names(names);
        let cases = [
            ("l-jq1ept9: text", "m-003: text"),
            ("l-jq1ept9  candidate", "m-003      candidate"),
            ("(l-jq1ept9)", "(m-003)"),
            ("l-jq1ept9x", "l-jq1ept9x"),
            ("url-jq1ept9", "url-jq1ept9"),
            ("l-other00 l-", "l-other00 l-"),
            ("größe l-jq1ept9 ü", "größe m-003 ü"),
        ];
        for (text, named) in cases {
            assert_eq!(names.put_into(text), named);
        }
    }
}
