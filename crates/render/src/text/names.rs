//! Lessons under the ids that another system's users know: `m-007` instead of `l-g736gph`.

use std::collections::BTreeMap;
use std::iter::repeat_n;

use super::columns::width_of;

/// What a lesson is called instead of by its id.
#[derive(Clone, Debug, Default)]
pub struct Names(pub BTreeMap<String, String>);

/// The name of the column in which ids stand.
const HEAD: &str = "ID";

/// An id that has a name, where it stands in a line.
struct Found<'a> {
    from: usize,
    id: &'a str,
    name: &'a str,
    /// Other columns follow it.
    is_column: bool,
}

impl Names {
    /// The text with every known id replaced; a column becomes as wide as the longest name in it.
    pub fn put_into(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        let lines: Vec<(&str, Vec<Found<'_>>)> =
            text.split_inclusive('\n').map(|line| (line, self.found(line))).collect();
        // By where the column begins.
        let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
        for (line, found) in &lines {
            for it in found.iter().filter(|it| it.is_column) {
                let width = widths.entry(width_of(&line[..it.from])).or_insert(it.id.len());
                *width = (*width).max(width_of(it.name));
            }
        }
        lines.iter().map(|(line, found)| put(line, found, &widths)).collect()
    }

    /// The ids in a line that have a name.
    fn found<'a>(&'a self, line: &'a str) -> Vec<Found<'a>> {
        let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let mut found: Vec<Found<'a>> = Vec::new();
        let mut end = 0;
        for (from, _) in line.match_indices("l-") {
            if from < end {
                continue;
            }
            let rest = &line[from + 2..];
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let id = &line[from..from + 2 + length];
            end = from + id.len();
            let name = self.0.get(id).filter(|_| !line[..from].ends_with(is_inside));
            let is_column = line[end..].starts_with("  ");
            found.extend(name.map(|name| Found { from, id, name, is_column }));
        }
        found
    }
}

/// A line with names for its ids.
fn put(line: &str, found: &[Found<'_>], widths: &BTreeMap<usize, usize>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut end = 0;
    for it in found {
        out.push_str(&line[end..it.from]);
        out.push_str(it.name);
        end = it.from + it.id.len();
        if it.is_column {
            let width = widths.get(&width_of(&line[..it.from])).copied().unwrap_or_default();
            out.extend(repeat_n(' ', width.saturating_sub(width_of(it.name))));
        }
    }
    out.push_str(&line[end..]);
    if found.is_empty() { headed(&out, widths) } else { out }
}

/// A line, its head of a column of ids as wide as that.
fn headed(line: &str, widths: &BTreeMap<usize, usize>) -> String {
    let head = line.split("  ").next().filter(|head| *head == HEAD);
    let (Some(head), Some(width)) = (head, widths.get(&0)) else { return line.to_owned() };
    let rest = line[head.len()..].trim_start_matches(' ');
    format!("{head:width$}  {rest}")
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

    /// Under its head, and beside ids that have no name or a short one.
    #[test]
    fn a_column_is_as_wide_as_its_longest_name() {
        let long = "mem-importer-of-orders-12";
        let pairs = [("l-jq1ept9", long), ("l-aaaaaaa", "m-1")];
        let names = Names(pairs.map(|(id, name)| (id.to_owned(), name.to_owned())).into());
        let text = "ID         STATE\nl-jq1ept9  stable\n  0.5 by word\nl-aaaaaaa  decayed\n\
                    \n  new  l-aaaaaaa  See l-jq1ept9  there\n";
        let named = format!(
            "{:25}  STATE\n{long}  stable\n  0.5 by word\n{:25}  decayed\n\
             \n  new  {:9}  See {long}  there\n",
            "ID", "m-1", "m-1"
        );
        assert_eq!(names.put_into(text), named);
    }
}
