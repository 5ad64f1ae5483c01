//! A reader of HTML that is strict where browsers are not: every tag is closed, every attribute
//! is quoted, no id comes twice. It reads what templates write, not the web.

use std::collections::BTreeSet;

const VOID: &[&str] = &["meta", "link", "input", "br", "hr", "img"];

/// Everything that may stand in a page. What is not here was not written by a template.
const TAGS: &str = "html head meta title link script body a header nav main footer div span p h1 h2 h3 form \
    label input select option button textarea datalist details summary section article ul ol li \
    dl dt dd table caption thead tbody tr th td code pre kbd strong time figure figcaption svg \
    desc rect circle path dialog";

/// One element, without what it contains.
#[derive(Debug)]
struct Element {
    tag: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

pub(super) struct Document {
    elements: Vec<Element>,
}

impl Document {
    pub(super) fn parse(page: &str) -> Result<Document, String> {
        let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
        let (mut elements, mut open) = (Vec::new(), Vec::new());
        while let Some(begin) = rest.find('<') {
            let text = &rest[..begin];
            if text.contains('>') {
                return Err(format!("a bare > in {text:?}"));
            }
            rest = &rest[begin + 1..];
            if let Some(closing) = rest.strip_prefix('/') {
                let (name, after) = closing.split_once('>').ok_or("an open end tag")?;
                let last: Option<String> = open.pop();
                if last.as_deref() != Some(name) {
                    return Err(format!("</{name}> closes {last:?}"));
                }
                rest = after;
                continue;
            }
            let (element, after) = element(rest)?;
            if !VOID.contains(&element.tag.as_str()) {
                open.push(element.tag.clone());
            }
            elements.push(element);
            rest = after;
        }
        if open.is_empty() { Ok(Document { elements }) } else { Err(format!("{open:?} stay open")) }
    }

    /// What is wrong with it; empty if nothing is.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        faults.extend(self.landmarks());
        faults.extend(self.ids());
        faults.extend(self.elements.iter().filter_map(|element| self.fault(element)));
        faults
    }

    fn count(&self, tag: &str) -> usize {
        self.elements.iter().filter(|element| element.tag == tag).count()
    }

    fn landmarks(&self) -> Vec<String> {
        let once = ["h1", "main", "title", "html", "body"];
        let exactly = once.iter().filter(|tag| self.count_outside_svg(tag) != 1);
        let mut faults: Vec<String> = exactly.map(|tag| format!("not one {tag}")).collect();
        let some = ["nav", "header"].iter().filter(|tag| self.count(tag) == 0);
        faults.extend(some.map(|tag| format!("no {tag}")));
        let first = self.elements.iter().find(|element| element.tag == "a");
        if first.and_then(|link| link.get("href")) != Some("#main") {
            faults.push("no skip link first".to_owned());
        }
        faults
    }

    /// Plots have titles of their own.
    fn count_outside_svg(&self, tag: &str) -> usize {
        let is_plot = |element: &Element| {
            tag == "title" && element.get("id").is_some() || self.is_mark_title(element)
        };
        self.elements.iter().filter(|one| one.tag == tag && !is_plot(one)).count()
    }

    fn is_mark_title(&self, element: &Element) -> bool {
        let place = self.elements.iter().position(|one| std::ptr::eq(one, element));
        let before = place.and_then(|place| place.checked_sub(1)).map(|at| &self.elements[at]);
        before.is_some_and(|one| matches!(one.tag.as_str(), "circle" | "path"))
    }

    fn ids(&self) -> Vec<String> {
        let all: Vec<&str> = self.elements.iter().filter_map(|one| one.get("id")).collect();
        let mut known = BTreeSet::new();
        let twice = all.iter().filter(|id| !known.insert(**id)).map(|id| format!("id {id} twice"));
        let mut faults: Vec<String> = twice.collect();
        for element in &self.elements {
            for name in ["aria-labelledby", "aria-describedby", "for", "list"] {
                let named = element.get(name).into_iter().flat_map(str::split_whitespace);
                let missing = named.filter(|id| !all.contains(id));
                faults.extend(missing.map(|id| format!("{name} names {id}, which is not there")));
            }
        }
        faults
    }

    fn fault(&self, element: &Element) -> Option<String> {
        let told = |what: &str| Some(format!("{what}: {element:?}"));
        if !TAGS.split(' ').any(|tag| tag == element.tag) {
            return told("no template writes this tag");
        }
        let is_handler = |name: &str| name.starts_with("on") || name.starts_with("hx-on");
        if element.attributes.iter().any(|(name, _)| is_handler(name) || name == "style") {
            return told("an inline handler or style");
        }
        if element.tag == "script" && !element.get("src").unwrap_or("").starts_with("/assets/") {
            return told("an inline or foreign script");
        }
        let names = ["href", "src", "action", "hx-get"];
        if names.iter().filter_map(|name| element.get(name)).any(|url| !is_ours(element, url)) {
            return told("a link elsewhere");
        }
        if !self.is_labelled(element) {
            return told("a field without a label");
        }
        None
    }

    fn is_labelled(&self, element: &Element) -> bool {
        let is_field = matches!(element.tag.as_str(), "input" | "select" | "textarea");
        if !is_field
            || element.get("type") == Some("hidden")
            || element.get("id") == Some("keys-switch")
        {
            return true;
        }
        let labels = self.elements.iter().filter(|one| one.tag == "label");
        labels.filter_map(|label| label.get("for")).any(|id| Some(id) == element.get("id"))
    }
}

/// Below our own root, or an address of the web that is told nothing of where it was found.
fn is_ours(element: &Element, url: &str) -> bool {
    let is_own = url.starts_with('/') && !url.starts_with("//") && !url.contains('\\');
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    is_own || url == "#main" || is_web && element.get("rel") == Some("noreferrer noopener")
}

fn element(text: &str) -> Result<(Element, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let (tag, mut rest) = text.split_at(end);
    if tag.is_empty() {
        return Err(format!("a bare < before {:?}", text.chars().take(30).collect::<String>()));
    }
    let mut attributes = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('>') {
            return Ok((Element { tag: tag.to_owned(), attributes }, after));
        }
        let spaced = rest.strip_prefix(' ').ok_or(format!("an odd attribute in <{tag}"))?;
        let end = spaced.find(['=', ' ', '>']).ok_or("an open tag")?;
        let (name, after) = spaced.split_at(end);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(format!("an odd attribute {name:?} in <{tag}"));
        }
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').ok_or("an open value")?,
            None => ("", after),
        };
        attributes.push((name.to_owned(), value.to_owned()));
        rest = after;
    }
}
