//! Is the picture in README.md what a terminal shows? The session below is run, and what it
//! prints is drawn; `HARDWON_BLESS=1` writes the picture anew.

use std::fs;

use crate::readme::{is_blessing, root, run, steps, write_if_changed};

/// What lies in the folder before the picture begins.
const BEFORE: &str = r#"
```console
$ cat > monday.jsonl <<'END'
{"type":"run","id":"monday","domain":"code","outcome":"failed"}
{"type":"finding","author":"guardian","severity":"warning","text":"The user search builds its SQL query by string concatenation","path":"src/search.rs","line":41}
END
$ cat > tuesday.jsonl <<'END'
{"type":"run","id":"tuesday","domain":"code","outcome":"partial"}
{"type":"finding","author":"guardian","severity":"warning","text":"SQL query built by string concatenation in the order search","path":"src/orders.rs","line":17}
END
$ cat > wednesday.jsonl <<'END'
{"type":"run","id":"wednesday","domain":"code","outcome":"success","detectors":["guardian"]}
END
$ export COLUMNS=92
```
"#;

/// The session that is drawn.
const SHOWN: &str = "
```console
$ hardwon learn monday.jsonl
$ hardwon learn tuesday.jsonl      # the same mistake, in other words and another file
$ hardwon inject --run wednesday --role maker >> prompt.md; cat prompt.md
$ hardwon learn wednesday.jsonl    # the reviewer looked again
```
";

const LINE_PX: usize = 19;
const CHAR_PX: f64 = 7.83;
const MARGIN_PX: usize = 18;
const BAR_PX: usize = 30;

#[test]
fn the_picture_shows_what_is_printed() {
    let path = root().join("docs/pictures/session.svg");
    let drawn = svg(&session());
    if is_blessing() {
        return write_if_changed(&path, &drawn);
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == drawn, "{} is out of date: HARDWON_BLESS=1 draws it anew", path.display());
}

/// The lines of the session: commands with their prompt, then what they print.
fn session() -> Vec<String> {
    let all = steps(&[BEFORE, SHOWN].concat()).expect("the session is well-formed");
    let n_before = steps(BEFORE).expect("what is before it, too").len();
    let printed = run(&all).expect("the session runs");
    let mut lines = Vec::new();
    for (step, printed) in all.iter().zip(printed).skip(n_before) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("$ {}", step.command));
        lines.extend(printed);
    }
    lines
}

fn svg(lines: &[String]) -> String {
    let n_columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let width = (n_columns as f64 * CHAR_PX).ceil() as usize + 2 * MARGIN_PX;
    let height = BAR_PX + lines.len() * LINE_PX + 2 * MARGIN_PX;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"A terminal session\">\n\
         <style>text {{ font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; \
         fill: #c9d1d9; white-space: pre }} .typed {{ fill: #ffffff; font-weight: bold }} \
         .prompt {{ fill: #7ee787 }} .aside {{ fill: #8b949e; font-weight: normal }} \
         .block {{ fill: #79c0ff }} .good {{ fill: #7ee787 }}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for (place, colour) in ["#ff5f56", "#ffbd2e", "#27c93f"].iter().enumerate() {
        let x = MARGIN_PX + 6 + place * 20;
        out += &format!("<circle cx=\"{x}\" cy=\"20\" r=\"6\" fill=\"{colour}\"/>\n");
    }
    let mut is_block = false;
    for (place, line) in lines.iter().enumerate() {
        is_block |= line.starts_with("<hardwon-memory>");
        let y = BAR_PX + MARGIN_PX + place * LINE_PX + LINE_PX / 2;
        let spans = if is_block { span("block", line) } else { spans(line) };
        out +=
            &format!("<text x=\"{MARGIN_PX}\" y=\"{y}\" xml:space=\"preserve\">{spans}</text>\n");
        is_block &= !line.starts_with("</hardwon-memory>");
    }
    out + "</svg>\n"
}

/// A line outside of a block, in its colours.
fn spans(line: &str) -> String {
    let Some(typed) = line.strip_prefix("$ ") else {
        let is_good = ["helped", "candidate →"].iter().any(|word| line.trim().starts_with(word));
        return if is_good { span("good", line) } else { escaped(line) };
    };
    let (command, aside) = match typed.find("  #") {
        Some(place) => typed.split_at(place),
        None => (typed, ""),
    };
    [span("prompt", "$ "), span("typed", command), span("aside", aside)].concat()
}

fn span(class: &str, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("<tspan class=\"{class}\">{}</tspan>", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
