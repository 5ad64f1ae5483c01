//! Are pages well-formed, usable without a mouse, and inert whatever a lesson says?

mod answers;
mod html;
mod sample;

use html::Document;
use sample::{Words, empty_pages, pages};

use super::{Says, link};

/// What must not come to life, in any field.
const HOSTILE: &[&str] = &[
    "<script>alert(1)</script>",
    "</script><script src=//evil.example/x.js></script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\" autofocus onfocus=\"alert(1)",
    "</title></textarea></style></pre><svg onload=alert(1)>",
    "<!--<b>--><![CDATA[<i>]]>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "&lt;b&gt;&#60;script&#62;",
    "{{7*7}}${7*7}<%= 7 %>",
    "\u{0}\u{7}\u{1b}[31m\u{9b}",
    "\u{202e}txt.exe\u{2066}\u{200f}",
    "../../../etc/passwd?x=1&y=2#z",
    "http://evil.example/\" onclick=\"alert(1)",
];

fn all() -> Vec<(String, String)> {
    let mut all = pages(&Words::plain(), Says::Person);
    all.extend(empty_pages());
    let reason = "it was started by an agent".to_owned();
    let readers = pages(&Words::plain(), Says::Reader { reason });
    all.extend(readers.into_iter().map(|(name, page)| (format!("{name}-reader"), page)));
    all
}

#[test]
fn pages_are_well_formed() {
    for (name, page) in all() {
        let document = Document::parse(&page).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let faults = document.faults();
        assert!(faults.is_empty(), "{name}: {faults:?}");
    }
}

#[test]
fn nothing_that_a_lesson_says_comes_to_life() {
    for hostile in HOSTILE {
        for (name, page) in pages(&Words::hostile(hostile), Says::Person) {
            let told = |fault: String| format!("{name} with {hostile:?}: {fault}");
            let document = Document::parse(&page).unwrap_or_else(|fault| panic!("{}", told(fault)));
            let faults = document.faults();
            assert!(faults.is_empty(), "{}", told(format!("{faults:?}")));
            let harmful = |c: char| c.is_control() && c != '\n' && c != '\t';
            assert!(!page.contains(harmful), "{}", told("control character".to_owned()));
            let bidi = ['\u{202e}', '\u{2066}', '\u{200f}'];
            assert!(!page.contains(bidi), "{}", told("bidi".to_owned()));
        }
    }
}

/// Every text of the samples is in a page: a field that no page shows is not tested above.
#[test]
fn the_samples_reach_the_pages() {
    let all: String =
        pages(&Words::hostile("<zz>"), Says::Person).into_iter().map(|(_, page)| page).collect();
    assert!(all.matches("&lt;zz&gt;").count() > 200);
    assert!(!all.contains("<zz"));
}

#[test]
fn who_may_not_decide_sees_the_command_and_no_form() {
    let says = Says::Reader { reason: "it was started by an agent".to_owned() };
    for (name, page) in pages(&Words::plain(), says) {
        assert!(!page.contains("method=\"post\""), "{name} has a form");
        if name == "lesson" || name == "review" {
            assert!(page.contains("it was started by an agent"), "{name} says why");
            assert!(page.contains("hardwon review keep l-sql0001"), "{name} says what to type");
        }
    }
}

#[test]
fn every_form_hands_back_what_the_server_asks_for() {
    for (name, page) in pages(&Words::plain(), Says::Person) {
        for form in page.split("<form").skip(1).filter(|form| form.contains("method=\"post\"")) {
            let form = form.split("</form>").next().unwrap_or_default();
            for field in ["csrf", "project", "back"] {
                assert!(form.contains(&format!("name=\"{field}\"")), "{name}: {field}: {form}");
            }
            let is_undo = form.contains("action=\"/undo\"");
            assert!(is_undo || form.contains("name=\"if_match\" value=\"v-7\""), "{name}: {form}");
        }
    }
}

#[test]
fn empty_pages_say_what_to_do_next() {
    for (name, page) in empty_pages() {
        assert!(page.contains("hardwon "), "{name} names no command");
    }
}

#[test]
fn links_keep_the_project_unless_it_is_the_default() {
    let [default, other] = [true, false].map(|is_default| {
        let says = Says::Person;
        sample::with_shell(says, is_default, |shell| link::lesson("a/b ?#%", shell))
    });
    assert_eq!(default, "/lessons/a%2Fb%20%3F%23%25");
    assert_eq!(other, "/lessons/a%2Fb%20%3F%23%25?project=demo");
}

#[test]
fn only_addresses_of_the_web_are_links() {
    let followed = ["https://example.org/x", "HTTP://example.org"];
    let plain =
        ["javascript:alert(1)", "data:text/html,x", "//x", "/etc", "https://a b", "ftp://x"];
    assert!(followed.iter().all(|url| link::outside(url).is_some()));
    assert!(plain.iter().all(|url| link::outside(url).is_none()));
}
