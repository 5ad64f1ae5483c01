//! What may be taken of what a model says about a run? Its answer in, candidates out, each with
//! its evidence looked up in the runs that it was shown; what is not borne out is refused with the
//! reason. A model's word is an agent's: whether it is shown is decided elsewhere.

use super::{Candidate, Context, Pattern, ReflectionPolicy};
use crate::episode::Step;
use crate::ids::RunId;
use crate::lesson::{Guidance, Kind};
use crate::prompt::{has_quote, quoted};
use crate::run::Run;
use crate::scope::{Dimension, Scope};
use crate::words::{sorted_unique, words};

/// The Archivist's categories, each with the kind of lesson that it makes.
pub const CATEGORIES: &[(&str, Kind)] = &[
    ("heuristic", Kind::Hint),
    ("anti_pattern", Kind::AntiPattern),
    ("tool_usage", Kind::Hint),
    ("provider_quirk", Kind::Fact),
    ("test_strategy", Kind::Pattern),
    ("infra", Kind::Fact),
    ("prompting", Kind::Hint),
    ("bugfix_pattern", Kind::Pattern),
];

/// What a category becomes that is none of these.
const OTHER: usize = 0;

/// A quotation shorter than this shows nothing.
const MIN_QUOTE_CHARS: usize = 6;

/// What a model says about a run, as it said it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    pub summary: String,
    pub worked: Vec<String>,
    pub failed: Vec<String>,
    pub decisions: Vec<String>,
    pub candidates: Vec<Advised>,
}

/// One lesson that a model proposes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advised {
    pub category: String,
    pub title: String,
    pub text: String,
    /// `IF … THEN …`.
    pub rule: String,
    pub description: String,
    /// Where it holds: a dimension and a value; empty = the project.
    pub scope: Vec<(String, String)>,
    pub tags: Vec<String>,
    pub importance: f64,
    pub confidence: f64,
    pub evidence: Vec<Cited>,
}

/// What is to show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cited {
    /// Left out: the run in question.
    pub run: Option<String>,
    /// Number of a step of that run, as it was shown.
    pub step: Option<u64>,
    /// `path:line`.
    pub place: Option<String>,
    /// Words that stand there.
    pub quote: Option<String>,
}

/// What was taken of one proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The candidate, or why it is none.
    pub candidate: Result<Candidate, String>,
    /// What was changed about it.
    pub notes: Vec<String>,
}

/// Judges every proposal, in its order. At most as many as the policy says are taken.
pub fn judge(advice: &Advice, context: &Context<'_>, policy: &ReflectionPolicy) -> Vec<Judged> {
    let mut n_left = policy.max_lessons;
    let judge = |advised: &Advised| {
        let mut notes = Vec::new();
        let candidate = candidate(advised, context, policy, &mut notes).and_then(|candidate| {
            let more = format!("more than {} were proposed", policy.max_lessons);
            n_left = n_left.checked_sub(1).ok_or(more)?;
            Ok(candidate)
        });
        Judged { candidate, notes }
    };
    advice.candidates.iter().map(judge).collect()
}

fn candidate(
    advised: &Advised,
    context: &Context<'_>,
    policy: &ReflectionPolicy,
    notes: &mut Vec<String>,
) -> Result<Candidate, String> {
    let text = [&advised.text, &advised.rule, &advised.title];
    let text = text.into_iter().find(|text| !text.trim().is_empty());
    let text = text.ok_or("it says nothing")?.trim().to_owned();
    let is_share = |value: f64| (0.0..=1.0).contains(&value);
    if !is_share(advised.importance) {
        return Err(format!("importance {} is not from 0 to 1", advised.importance));
    }
    if advised.importance < policy.min_importance {
        let (own, least) = (advised.importance, policy.min_importance);
        return Err(format!("importance {own} is below {least}"));
    }
    if advised.evidence.is_empty() {
        return Err("it names no evidence".to_owned());
    }
    for (index, cited) in advised.evidence.iter().enumerate() {
        check(cited, context).map_err(|reason| format!("evidence[{index}]: {reason}"))?;
    }
    let known = CATEGORIES.iter().position(|(word, _)| *word == advised.category);
    if known.is_none() {
        notes.push(format!("category `{}` is unknown; taken as heuristic", advised.category));
    }
    let (category, kind) = CATEGORIES[known.unwrap_or(OTHER)];
    let said = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let places = advised.evidence.iter().filter_map(|cited| cited.place.as_deref());
    let paths = sorted_unique(places.map(|place| path_of(place).to_owned()).collect());
    Ok(Candidate {
        pattern: Pattern::Advised,
        // The same words are the same advice; others are compared by what they mean.
        key: words(&text).join(" "),
        kind,
        category,
        scope: scope(&advised.scope, notes),
        tags: advised.tags.clone(),
        paths,
        importance: advised.importance,
        guidance: Guidance {
            rule: said(&advised.rule).filter(|rule| *rule != text),
            detail: said(&advised.description).filter(|detail| *detail != text),
            ..Guidance::default()
        },
        // One answer speaks for one run, however many it cites.
        evidence: vec![context.run.id.clone()],
        refines: Vec::new(),
        quote: None,
        text,
    })
}

fn scope(stated: &[(String, String)], notes: &mut Vec<String>) -> Scope {
    let mut scope = Scope::default();
    for (side, value) in stated {
        match Dimension::from_word(side) {
            // Whose wish it is, only that person can say.
            Some(Dimension::Person) | None => {
                notes.push(format!("scope `{side}` is not used"));
            }
            Some(side) => drop(scope.0.insert(side, value.clone())),
        }
    }
    scope
}

/// Whether what is cited is there; or what is not.
fn check(cited: &Cited, context: &Context<'_>) -> Result<(), String> {
    let run = match &cited.run {
        Some(id) => {
            let mut all = std::iter::once(context.run).chain(context.below).chain(context.others);
            let found = all.find(|run| run.id.as_str() == id);
            found.ok_or_else(|| format!("run `{id}` was not looked at"))?
        }
        None => context.run,
    };
    let step = match cited.step {
        Some(number) => Some(
            step_of(run, number).ok_or_else(|| format!("run `{}` has no step {number}", run.id))?,
        ),
        None => None,
    };
    if let Some(quote) = &cited.quote {
        let quoted = quoted(quote);
        if quoted.chars().count() < MIN_QUOTE_CHARS {
            return Err("the quotation is too short to be found".to_owned());
        }
        let says = |said: &str| has_quote(said, &quoted);
        let is_there = match step {
            Some(step) => said_in(step).any(says),
            None => said_of(run, context).any(says),
        };
        if !is_there {
            return Err("the quoted words do not stand there".to_owned());
        }
    }
    if let Some(place) = &cited.place {
        let path = path_of(place);
        let is_known = !path.is_empty() && said_of(run, context).any(|said| said.contains(path));
        if !is_known {
            return Err(format!("run `{}` has nothing to do with `{path}`", run.id));
        }
    }
    let says_something = step.is_some() || cited.quote.is_some() || cited.place.is_some();
    says_something.then_some(()).ok_or("it names no step, place or words".to_owned())
}

/// Steps are numbered from 1, in the order of the trail.
fn step_of(run: &Run, number: u64) -> Option<&Step> {
    let index = usize::try_from(number.checked_sub(1)?).ok()?;
    run.episode.trail.get(index)
}

fn said_in(step: &Step) -> impl Iterator<Item = &str> {
    let error = step.error.as_ref().map(|error| error.line.as_str());
    std::iter::once(step.action.as_str()).chain(error)
}

/// All that memory knows a run by.
fn said_of<'a>(run: &'a Run, context: &Context<'a>) -> impl Iterator<Item = &'a str> {
    let is_own = |id: &RunId| *id == run.id;
    let findings = context.findings.iter().filter(move |finding| is_own(&finding.run));
    let found = findings.flat_map(|finding| {
        let place = finding.place.as_ref().map(|place| place.path.as_str());
        std::iter::once(finding.text.as_str()).chain(place).chain(finding.repair.as_deref())
    });
    let episode = &run.episode;
    let told = [&episode.summary, &episode.error_class, &run.task].into_iter().flatten();
    let told = told.chain(&run.paths).map(String::as_str);
    episode.trail.iter().flat_map(said_in).chain(found).chain(told)
}

fn path_of(place: &str) -> &str {
    let place = place.trim();
    match place.rsplit_once(':') {
        Some((path, line)) if line.chars().all(|c| c.is_ascii_digit() || c == '-') => path,
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::samples::{failed, ok, run};

    fn advised(evidence: Vec<Cited>) -> Advised {
        Advised {
            category: "tool_usage".to_owned(),
            title: "Workspace flag".to_owned(),
            text: "Run pnpm with --filter, the workspace has no root script".to_owned(),
            rule: "IF a script is run THEN pass --filter".to_owned(),
            importance: 0.7,
            confidence: 0.6,
            evidence,
            ..Advised::default()
        }
    }

    fn cited(step: Option<u64>, quote: Option<&str>, place: Option<&str>) -> Cited {
        let [quote, place] = [quote, place].map(|text| text.map(str::to_owned));
        Cited { run: None, step, place, quote }
    }

    /// What becomes of it.
    fn judged(advised: Advised) -> Judged {
        let error = "ERR_PNPM_NO_SCRIPT  Missing script: build";
        let others = [run("r0").with(vec![ok("pnpm install")])];
        let mut run = run("r1").with(vec![ok("pnpm test"), failed("pnpm build", error)]);
        run.paths.insert("packages/web/package.json".to_owned());
        let context = Context { run: &run, below: &[], findings: &[], others: &others };
        let advice = Advice { candidates: vec![advised], ..Advice::default() };
        judge(&advice, &context, &ReflectionPolicy::default()).remove(0)
    }

    #[test]
    fn evidence_has_to_be_there() {
        let cases = [
            (cited(Some(2), Some("Missing script: build"), None), None),
            (cited(None, Some("\"err_pnpm_no_script   missing…\""), None), None),
            (cited(Some(1), None, None), None),
            (cited(None, None, Some("packages/web/package.json:3")), None),
            (cited(Some(1), Some("Missing script: build"), None), Some("do not stand there")),
            (cited(Some(3), None, None), Some("run `r1` has no step 3")),
            (cited(Some(0), None, None), Some("run `r1` has no step 0")),
            (cited(None, Some("it was never said"), None), Some("do not stand there")),
            (cited(None, Some("ERR"), None), Some("too short")),
            (cited(None, None, Some("src/invented.rs:4")), Some("nothing to do with")),
            (cited(None, None, Some(":4")), Some("nothing to do with")),
            (cited(None, None, None), Some("names no step, place or words")),
            (Cited { run: Some("r9".into()), ..cited(Some(1), None, None) }, Some("run `r9`")),
            (Cited { run: Some("r0".into()), ..cited(Some(2), None, None) }, Some("no step 2")),
        ];
        for (cited, expected) in cases {
            let found = judged(advised(vec![cited.clone()])).candidate.err();
            match (&found, expected) {
                (None, None) => {}
                (Some(found), Some(words)) => {
                    assert!(found.starts_with("evidence[0]: ") && found.contains(words), "{found}");
                }
                _ => panic!("{cited:?}: {found:?}"),
            }
        }
        let one_invented = vec![cited(Some(1), None, None), cited(Some(7), None, None)];
        let refused = judged(advised(one_invented)).candidate.unwrap_err();
        assert_eq!(refused, "evidence[1]: run `r1` has no step 7", "one lie is enough");
        assert!(judged(advised(Vec::new())).candidate.is_err());
    }

    #[test]
    fn a_candidate_speaks_for_one_run_and_keeps_its_shape() {
        let evidence = vec![
            cited(Some(2), None, None),
            Cited { run: Some("r0".into()), ..cited(Some(1), None, None) },
            cited(None, None, Some("packages/web/package.json:3")),
        ];
        let scope = vec![("tool".into(), "pnpm".into()), ("person".into(), "ada".into())];
        let Judged { candidate, notes } = judged(Advised { scope, ..advised(evidence) });
        let candidate = candidate.expect("all of it is there");
        assert_eq!(candidate.evidence, [RunId::named("r1").expect("an id")]);
        assert_eq!((candidate.kind, candidate.category), (Kind::Hint, "tool_usage"));
        assert_eq!(candidate.paths, ["packages/web/package.json"]);
        assert_eq!(candidate.scope.0.get(&Dimension::Tool).map(String::as_str), Some("pnpm"));
        assert_eq!(notes, ["scope `person` is not used"]);
        let rule = candidate.guidance.rule.as_deref();
        assert_eq!(rule, Some("IF a script is run THEN pass --filter"));
    }

    #[test]
    fn what_is_odd_about_it_is_said() {
        let there = || vec![cited(Some(1), None, None)];
        let odd = Advised { category: "wisdom".into(), ..advised(there()) };
        let Judged { candidate, notes } = judged(odd);
        assert_eq!(candidate.expect("never a refusal").category, "heuristic");
        assert_eq!(notes, ["category `wisdom` is unknown; taken as heuristic"]);
        for (importance, words) in
            [(0.29, "below 0.3"), (7.0, "not from 0 to 1"), (f64::NAN, "not from 0 to 1")]
        {
            let refused = judged(Advised { importance, ..advised(there()) }).candidate.unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
        let (text, rule, title) = (" ".into(), String::new(), String::new());
        let silent = Advised { text, rule, title, ..advised(there()) };
        assert_eq!(judged(silent).candidate.unwrap_err(), "it says nothing");
    }

    #[test]
    fn no_more_than_the_policy_says() {
        let run = run("r1").with(vec![ok("pnpm test")]);
        let context = Context { run: &run, below: &[], findings: &[], others: &[] };
        let n = 8;
        let candidates = vec![advised(vec![cited(Some(1), None, None)]); n];
        let advice = Advice { candidates, ..Advice::default() };
        let judged = judge(&advice, &context, &ReflectionPolicy::default());
        let n_taken = judged.iter().filter(|judged| judged.candidate.is_ok()).count();
        assert_eq!((judged.len(), n_taken), (n, 5));
        assert_eq!(judged[7].candidate, Err("more than 5 were proposed".to_owned()));
    }
}
