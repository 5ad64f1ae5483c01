//! The file of the MCP memory server as an import: what comes in, what waits, and what a bad file
//! leaves.

use std::fs;
use std::os::unix::fs::symlink;

use hardwon_engine::lesson::{Lesson, State};
use hardwon_engine::{Access, EngineError, OpenMemory, Options};
use hardwon_foreign::{LAYOUTS, LayoutName, Reach, import, trust};
use hardwon_render::answer::{Answer, Imported, TrustStanding};
use hardwon_store::LessonQuery;

use crate::place::environment;

const GRAPH: &str = concat!(
    r#"{"type":"entity","name":"billing_service","entityType":"service","observations":["Retries failed webhooks twice before it gives up","Owns the invoices table"]}"#,
    "\n",
    r#"{"type":"entity","name":"postgres","entityType":"database","observations":[]}"#,
    "\n",
    r#"{"type":"relation","from":"billing_service","to":"postgres","relationType":"depends_on"}"#,
    "\n",
);

struct Site(tempfile::TempDir);

impl Site {
    fn with(content: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("memory.jsonl"), content).unwrap();
        Site(folder)
    }

    fn open(&self, access: Access) -> OpenMemory {
        let store = Some(format!("sqlite:{}/own.db", self.0.path().display()));
        let options = Options { store, foreign: LAYOUTS, ..Options::default() };
        OpenMemory::open(&environment(self.0.path()), &options, access).unwrap()
    }

    fn import_from(
        &self,
        path: &str,
        layout: Option<LayoutName>,
    ) -> Result<Answer<Imported>, EngineError> {
        let OpenMemory { mut memory, call } = self.open(Access::Write);
        let environment = environment(self.0.path());
        import(&mut memory, &call, &environment, path, layout, Reach::Project)
    }

    fn import(&self) -> Answer<Imported> {
        self.import_from("memory.jsonl", LayoutName::from_word("mcp")).unwrap()
    }

    fn trust(&self) {
        trust::pin(&environment(self.0.path()), "memory.jsonl").unwrap();
    }

    fn lessons(&self) -> Vec<Lesson> {
        let OpenMemory { memory, call } = self.open(Access::Read);
        let mut all = memory.store.lessons(&call.project, &LessonQuery::default()).unwrap();
        all.sort_by(|a, b| a.text.as_str().cmp(b.text.as_str()));
        all
    }
}

#[test]
fn each_observation_and_each_relation_waits_until_the_file_is_approved() {
    let site = Site::with(GRAPH);
    let imported = site.import();
    assert_eq!((imported.body.n_read, imported.body.quarantined.len()), (3, 3));
    assert!(imported.problems.iter().any(|it| it.reason.contains("hardwon review trust")));
    let behind: Vec<_> = imported.body.unplaced.iter().map(|it| (it.n, &*it.what)).collect();
    assert_eq!(behind, [(1, "entities of which nothing is said")]);
    let texts: Vec<String> = site.lessons().iter().map(|l| l.text.as_str().to_owned()).collect();
    let wanted = [
        "billing_service depends on postgres",
        "billing_service: Owns the invoices table",
        "billing_service: Retries failed webhooks twice before it gives up",
    ];
    assert_eq!(texts, wanted);
    site.trust();
    assert_eq!(site.import().body.released.len(), 3);
    assert!(site.lessons().iter().all(|lesson| lesson.state == State::Provisional));
    assert_eq!(site.import().body.n_known, 3, "the same again changes nothing");
}

#[test]
fn what_left_the_graph_is_put_away_and_a_change_ends_the_approval() {
    let site = Site::with(GRAPH);
    site.trust();
    site.import();
    let less = GRAPH.replace(",\"Owns the invoices table\"", "");
    fs::write(site.0.path().join("memory.jsonl"), less).unwrap();
    let look = trust::look(&environment(site.0.path()), "memory.jsonl").unwrap().body;
    assert_eq!((look.standing.0, &*look.system), (TrustStanding::Changed, "mcp"));
    assert_eq!(site.import().body.put_away.len(), 0, "nobody approved that");
    site.trust();
    assert_eq!(site.import().body.put_away.len(), 1);
}

#[test]
fn a_link_a_folder_and_a_huge_file_are_refused() {
    let site = Site::with(GRAPH);
    let folder = site.0.path();
    symlink("memory.jsonl", folder.join("link.jsonl")).unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
    let huge = fs::File::create(folder.join("huge.jsonl")).unwrap();
    huge.set_len(300 << 20).unwrap();
    for (path, reason) in [
        ("link.jsonl", "symlink"),
        ("empty", "name it"),
        ("huge.jsonl", "larger than 256 MiB"),
        ("nowhere.jsonl", "no such file"),
    ] {
        let refused = site.import_from(path, LayoutName::from_word("mcp")).unwrap_err();
        assert!(refused.to_string().contains(reason), "{path}: {refused}");
    }
    assert!(site.lessons().is_empty());
}

/// A secret stays in the file; what is kept of it is redacted, also in the record.
#[test]
fn a_secret_does_not_come_in() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let line = format!(
        r#"{{"type":"entity","name":"ci","entityType":"system","observations":["Pushes with the token {secret} every night"],"note":"{secret}"}}"#
    );
    let site = Site::with(line);
    site.trust();
    site.import();
    let [lesson] = &site.lessons()[..] else { panic!("one lesson") };
    let kept = format!("{:?}", lesson);
    assert!(!kept.contains(secret), "{kept}");
}
