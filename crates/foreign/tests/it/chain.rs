//! Memory moves from any layout to any other: what a chain through all of them that can be written
//! keeps, what arrives without approval, and what an answer says has no place.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hardwon_core::change::Change;
use hardwon_core::gate::Gate;
use hardwon_core::ids::LessonId;
use hardwon_engine::lesson::{Kind, Lesson, State};
use hardwon_engine::scope::{Dimension, Scope};
use hardwon_engine::time::Timestamp;
use hardwon_engine::write::{Command, write};
use hardwon_engine::{Access, EngineError, Environment, OpenMemory, Options};
use hardwon_foreign::{LAYOUTS, LayoutName, Reach, export, import, trust};
use hardwon_render::answer::{Exported, Imported};
use hardwon_store::LessonQuery;
use proptest::prelude::*;

use crate::place::environment;

/// What is made of a lesson.
#[derive(Clone, Debug)]
struct Plan {
    kind: Kind,
    state: State,
    category: Option<&'static str>,
    scope: Vec<(Dimension, &'static str)>,
    tags: Vec<&'static str>,
    n_sightings: u32,
    effects: [u32; 4],
    is_global: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    let scope = prop_oneof![
        Just(vec![]),
        Just(vec![(Dimension::Domain, "payments"), (Dimension::Role, "guardian")]),
        Just(vec![(Dimension::Tool, "cargo"), (Dimension::Provider, "claude-code")]),
        Just(vec![(Dimension::Repo, "shop")]),
    ];
    let tags = prop_oneof![Just(vec![]), Just(vec!["sql", "auth"]), Just(vec!["zeta", "alpha"])];
    let category = prop_oneof![Just(None), Just(Some("security")), Just(Some("test_strategy"))];
    let kind = prop::sample::select(Kind::ALL.to_vec());
    let state = prop::sample::select(State::ALL.to_vec());
    (kind, state, category, scope, tags, 0..9_u32, any::<[bool; 4]>()).prop_map(
        |(kind, state, category, scope, tags, n_sightings, effects)| Plan {
            kind,
            state,
            category,
            scope,
            tags,
            n_sightings,
            effects: effects.map(u32::from),
            is_global: false,
        },
    )
}

fn lesson(index: usize, plan: &Plan, open: &OpenMemory) -> Lesson {
    let subjects = ["socket", "invoice", "parser", "migration", "webhook", "cursor"];
    let subject = subjects[index % subjects.len()];
    let text = format!("Number {index}: the {subject} worker closes its handles before exit");
    let text = Gate::standard().line(&text);
    let project = (!plan.is_global).then(|| open.call.project.clone());
    let id = LessonId::derive(project.as_ref(), plan.kind.word(), text.as_str(), |_| false);
    let mut lesson = Lesson::stub(id, project, plan.kind, text, Timestamp(1_775_000_000_000));
    lesson.state = plan.state;
    lesson.category = plan.category.map(str::to_owned);
    lesson.scope = Scope(plan.scope.iter().map(|(d, v)| (*d, (*v).to_owned())).collect());
    lesson.tags = plan.tags.iter().map(|tag| (*tag).to_owned()).collect();
    (lesson.n_sightings, lesson.standing) = (plan.n_sightings, plan.n_sightings.max(1));
    let [helped, no_help, hurt, neutral] = plan.effects;
    lesson.effects.n_helped = helped * 3;
    lesson.effects.n_no_help = no_help * 2;
    (lesson.effects.n_hurt, lesson.effects.n_neutral) = (hurt, neutral);
    lesson
}

/// A folder with a user's home and one store of ours for each step.
struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("user")).unwrap();
        Site { folder }
    }

    fn environment(&self) -> Environment {
        let user_home = Some(self.folder.path().join("user"));
        Environment { user_home, ..environment(self.folder.path()) }
    }

    fn open(&self, name: &str, access: Access) -> OpenMemory {
        let store = Some(format!("sqlite:{}/{name}.db", self.folder.path().display()));
        let project = Some("demo".to_owned());
        let options = Options { store, project, foreign: LAYOUTS, ..Options::default() };
        OpenMemory::open(&self.environment(), &options, access).unwrap()
    }

    fn fill(&self, name: &str, plans: &[Plan]) {
        let mut open = self.open(name, Access::Write);
        let lessons: Vec<Lesson> =
            plans.iter().enumerate().map(|(index, plan)| lesson(index, plan, &open)).collect();
        let added = |lesson: &Lesson| Change::AddLesson {
            lesson: Box::new(lesson.clone()),
            because: "a test".to_owned(),
        };
        let changes: Vec<Change> = lessons.iter().map(added).collect();
        let OpenMemory { memory, call } = &mut open;
        write(memory, call, &Command::new("add"), &mut |_, _| {
            Ok::<_, EngineError>((changes.clone(), ()))
        })
        .unwrap();
    }

    fn export(&self, from: &str, path: &str, layout: LayoutName, reach: Reach) -> Exported {
        if !layout.is_own() {
            fs::create_dir_all(self.folder.path().join(path)).unwrap();
        }
        let open = self.open(from, Access::Read);
        let environment = self.environment();
        export(&open.memory, &open.call, &environment, path, layout, reach).unwrap().body
    }

    fn import(&self, to: &str, path: &str, layout: LayoutName, reach: Reach) -> Imported {
        let OpenMemory { mut memory, call } = self.open(to, Access::Write);
        let environment = self.environment();
        import(&mut memory, &call, &environment, path, Some(layout), reach).unwrap().body
    }

    /// One step of a chain: out of one store, approved, into the next.
    fn step(&self, from: &str, to: &str, layout: LayoutName, reach: Reach) {
        let path = format!("{from}-{}", layout.word());
        self.export(from, &path, layout, reach);
        let asked = trust::Asked { path: &path, layout: Some(layout) };
        trust::pin(&self.environment(), asked).unwrap();
        self.import(to, &path, layout, reach);
    }

    fn lessons(&self, name: &str) -> BTreeMap<String, Lesson> {
        let OpenMemory { memory, call } = self.open(name, Access::Read);
        let all = memory.store.lessons(&call.project, &LessonQuery::default()).unwrap();
        all.into_iter().map(|lesson| (lesson.text.as_str().to_owned(), lesson)).collect()
    }

    /// What a chain has to keep of each lesson, as text that can be compared.
    fn kept(&self, name: &str) -> Vec<String> {
        self.lessons(name).values().map(kept).collect()
    }
}

fn kept(lesson: &Lesson) -> String {
    let Lesson { text, kind, category, scope, tags, state, n_sightings, effects, project, .. } =
        lesson;
    let is_global = project.is_none();
    format!(
        "{}: {kind:?} {category:?} {scope:?} {tags:?} {state:?} {n_sightings} {effects:?} \
         {is_global}",
        text.as_str()
    )
}

fn layout(word: &str) -> LayoutName {
    LayoutName::from_word(word).expect("a layout")
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, ..ProptestConfig::default()
    })]

    /// Whatever can be written is in the chain, in any order, without being named here.
    #[test]
    fn a_chain_through_every_layout_keeps_every_lesson(
        plans in prop::collection::vec(plan(), 1..7),
        first in 0..16_usize,
    ) {
        let site = Site::new();
        site.fill("step0", &plans);
        let mut layouts = LayoutName::all_writable();
        let first = first % layouts.len();
        layouts.rotate_left(first);
        let wanted = site.kept("step0");
        prop_assert_eq!(wanted.len(), plans.len());
        for (index, layout) in layouts.iter().enumerate() {
            let (from, to) = (format!("step{index}"), format!("step{}", index + 1));
            site.step(&from, &to, *layout, Reach::Project);
            prop_assert_eq!(&site.kept(&to), &wanted, "through {}", layout.word());
        }
    }

    #[test]
    fn without_approval_each_arrives_in_quarantine_with_its_former_state_noted(
        plans in prop::collection::vec(plan(), 1..6),
        which in 0..16_usize,
    ) {
        let site = Site::new();
        site.fill("here", &plans);
        let layouts = LayoutName::all_writable();
        let layout = layouts[which % layouts.len()];
        site.export("here", "out", layout, Reach::Project);
        site.import("there", "out", layout, Reach::Project);
        let (here, there) = (site.lessons("here"), site.lessons("there"));
        prop_assert_eq!(here.len(), there.len());
        for (text, was) in &here {
            let now = &there[text];
            let is_away = was.state.is_put_away() || was.state == State::Decayed;
            let waits = now.state == State::Quarantined;
            prop_assert!(waits || is_away && now.state == was.state, "{:?}", now.state);
            let noted = now.upkeep.inherited.map(|inherited| inherited.state);
            prop_assert_eq!(noted, Some(was.state), "{} by {}", text, layout.word());
        }
    }
}

fn one(is_global: bool) -> Plan {
    Plan {
        kind: Kind::Pattern,
        state: State::Stable,
        category: Some("security"),
        scope: vec![],
        tags: vec!["sql"],
        n_sightings: 4,
        effects: [1, 0, 0, 1],
        is_global,
    }
}

#[test]
fn global_lessons_stay_global() {
    for word in ["hardwon", "archeflow", "jkz", "openagents"] {
        let site = Site::new();
        site.fill("here", &[one(false), one(true)]);
        site.step("here", "there", layout(word), Reach::Everywhere);
        let (here, there) = (site.lessons("here"), site.lessons("there"));
        assert_eq!(there.len(), 2, "{word}");
        for (text, was) in &here {
            assert_eq!(there[text].project.is_none(), was.project.is_none(), "{word}: {text}");
            // The user's own file of OpenAgents has no journal beside it.
            if word != "openagents" || was.project.is_some() {
                assert_eq!(kept(&there[text]), kept(was), "{word}");
            }
        }
    }
}

#[test]
fn without_the_flag_global_lessons_stay_here_and_the_answer_says_so() {
    let site = Site::new();
    site.fill("here", &[one(false), one(true)]);
    let exported = site.export("here", "out", layout("openagents"), Reach::Project);
    let told = exported.unplaced.iter().find(|it| it.what.starts_with("global lessons")).unwrap();
    assert_eq!((told.n, told.kept.contains("--global")), (1, true));
    assert!(!site.folder.path().join("user/.openagents").exists());
}

/// Each layout is asked by its files alone what they cannot say.
#[test]
fn an_export_lists_field_by_field_what_has_no_place() {
    let fields = |word: &str| {
        let site = Site::new();
        site.fill("here", &[one(false), Plan { state: State::Quarantined, ..one(false) }]);
        let exported = site.export("here", "out", layout(word), Reach::Project);
        let told = exported.unplaced.into_iter().filter(|it| it.kept.starts_with("kept"));
        told.map(|it| format!("{} {}", it.n, it.what)).collect::<Vec<_>>()
    };
    let field = |name: &str| format!("1 field \"{name}\" of lessons");
    let archeflow = fields("archeflow");
    for name in ["category", "state", "confidence", "effects"] {
        assert!(archeflow.contains(&field(name)), "{name}: {archeflow:#?}");
    }
    assert!(!archeflow.contains(&field("tags")), "it has tags: {archeflow:#?}");
    assert_eq!(archeflow[0], "1 lessons that may not stand in its files");
    assert!(fields("jkz").contains(&field("tags")), "{:#?}", fields("jkz"));
    assert!(fields("openagents").contains(&field("effects")), "{:#?}", fields("openagents"));
}

#[test]
fn what_can_only_be_read_is_not_written() {
    let site = Site::new();
    site.fill("here", &[one(false)]);
    let open = site.open("here", Access::Read);
    let environment = site.environment();
    let refused =
        export(&open.memory, &open.call, &environment, "out", layout("mcp"), Reach::Project);
    assert!(refused.unwrap_err().to_string().contains("mcp can only be imported"));
    assert!(!Path::new(&site.folder.path().join("out")).exists());
    assert!(LayoutName::all_writable().iter().all(|layout| layout.word() != "mcp"));
}
