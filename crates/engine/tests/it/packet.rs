//! The memory packet: what is in it, what was left out of it and why, and when it is
//! assembled anew.

use hardwon_engine::answer::Injected;
use hardwon_engine::ids::RunId;
use hardwon_engine::lesson::{Decision, Kind, Lesson};
use hardwon_engine::need::Need;
use hardwon_engine::{
    AddRequest, DecideRequest, EditRequest, InjectRequest, Stated, Style, blocks, history, lessons,
};
use serde_json::{Value, json};

use crate::bench::{Pipeline, finding, run, warning};

const W: &str = "Search query is glued together from strings";
const UPLOAD: &str = "Upload handler forgets the size limit of attachments";
const RETRY: &str = "Retry loop has no upper bound";
const CACHE: &str = "Cache key leaves out the tenant";

fn request(run: Option<&str>) -> InjectRequest {
    let run = run.map(|run| RunId::parse(run).unwrap());
    InjectRequest { run, style: Some(Style::Packet), ..InjectRequest::default() }
}

fn confirm(p: &mut Pipeline, texts: &[&str]) {
    for id in ["r1", "r2"] {
        let findings: String = texts.iter().map(|text| warning(text)).collect();
        p.learn(&(run(id, &["guardian"]) + &findings));
    }
}

fn confirmed(texts: &[&str]) -> Pipeline {
    let mut p = Pipeline::on_memory();
    confirm(&mut p, texts);
    p
}

fn lesson(p: &Pipeline, text: &str) -> Lesson {
    p.lessons().into_iter().find(|lesson| lesson.text.as_str() == text).unwrap()
}

fn serve(p: &mut Pipeline, request: &InjectRequest) -> (Injected, Value) {
    let injected = blocks::inject(&mut p.engine.memory, &p.engine.call, request).unwrap().body;
    let packet = serde_json::from_str(&injected.block).unwrap_or_default();
    (injected, packet)
}

/// Each suppressed lesson's reason, by id.
fn reason<'a>(packet: &'a Value, lesson: &Lesson) -> &'a str {
    let all = packet["hardwon"]["suppressed"].as_array().unwrap();
    let found = all.iter().find(|one| one["id"] == lesson.id.as_str());
    found.unwrap_or_else(|| panic!("{} is not in {all:?}", lesson.id))["reason"].as_str().unwrap()
}

fn supersede(p: &mut Pipeline, old: &Lesson, new: &Lesson) {
    let request = DecideRequest {
        lesson: old.id.to_string(),
        decision: Decision::Supersede,
        because: "says it better".to_owned(),
        by: None,
        with: Some(new.id.to_string()),
    };
    lessons::decide(&mut p.engine.memory, &p.engine.call, &request).unwrap();
}

#[test]
fn pinned_lessons_stand_outside_the_budget_and_all_else_is_suppressed() {
    let mut p = confirmed(&[W, UPLOAD, RETRY]);
    let pinned = lesson(&p, W);
    lessons::pin(&mut p.engine.memory, &p.engine.call, pinned.id.as_str(), true).unwrap();
    let (full, packet) = serve(&mut p, &request(None));
    assert_eq!(full.lessons.len(), 3);
    assert_eq!(packet["pinned_items"], json!([W]));
    assert_eq!(packet["applicable_memory_ids"].as_array().unwrap().len(), 2);
    let reason_of = &packet["assembly_reason"];
    let expected = "For any work: 3 lessons considered, 3 fitted a budget of 500 tokens, pinned \
                    ones outside it.";
    assert_eq!(reason_of, expected);

    let (_, packet) = serve(&mut p, &InjectRequest { budget: Some(0), ..request(None) });
    assert_eq!(packet["pinned_items"], json!([W]));
    assert_eq!(packet["applicable_memory_ids"], json!([]));
    assert_eq!(packet["suppressed_memory_ids"].as_array().unwrap().len(), 2);
    for text in [UPLOAD, RETRY] {
        assert_eq!(reason(&packet, &lesson(&p, text)), "no room left within 0 tokens");
    }
    lessons::pin(&mut p.engine.memory, &p.engine.call, pinned.id.as_str(), false).unwrap();
    let (empty, _) = serve(&mut p, &InjectRequest { budget: Some(0), ..request(None) });
    assert_eq!(empty.block, "", "nothing to say is nothing");
}

#[test]
fn every_lesson_is_included_or_has_a_reason() {
    let mut p = confirmed(&[W, UPLOAD, RETRY, CACHE]);
    let [w, upload, retry, cache] = [W, UPLOAD, RETRY, CACHE].map(|text| lesson(&p, text));
    lessons::doubt(&mut p.engine.memory, &p.engine.call, upload.id.as_str(), "it misled us")
        .unwrap();
    supersede(&mut p, &retry, &w);
    let scope = vec![(hardwon_engine::scope::Dimension::Role, "sage".to_owned())];
    let stated = Stated { scope, ..Stated::default() };
    let edit = EditRequest { stated, ..EditRequest::default() };
    lessons::edit(&mut p.engine.memory, &p.engine.call, cache.id.as_str(), &edit).unwrap();
    // Seen in one run only: not yet memory.
    p.learn(&(run("r9", &["guardian"]) + &warning("Mailer sends before the commit")));
    let need = Need { role: Some("maker".into()), task: Some("T-1".into()), ..Need::default() };
    let plain = InjectRequest { need, ..request(None) };
    let (_, packet) = serve(&mut p, &plain);
    assert_eq!(packet["applicable_memory_ids"], json!([w.id.as_str()]));
    assert_eq!(packet["hardwon"]["items"], json!([{"id": w.id.as_str(), "text": W}]));
    assert_eq!(packet["suppressed_memory_ids"].as_array().unwrap().len(), 3);
    assert!(reason(&packet, &upload).starts_with("under review: in doubt"));
    assert_eq!(reason(&packet, &retry), format!("superseded: {} stands for it", w.id));
    assert_eq!(reason(&packet, &cache), "scope: role is sage, not maker");
    assert_eq!((&packet["packet_id"], &packet["target_task_id"]), (&json!("T-1-1"), &json!("T-1")));
    assert_eq!(packet["target_agent_type"], "maker");

    let explained = InjectRequest { is_explained: true, ..plain };
    let again = blocks::compose(&p.engine.memory, &p.engine.call, &explained).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&again.block).unwrap(), packet);
    assert_eq!(again.left_out.len(), 4, "the explanation names the candidate, too");
}

#[test]
fn at_most_two_cautions_and_foreign_names_first() {
    let mut p = Pipeline::on_memory();
    for (n, text) in [W, UPLOAD, RETRY].into_iter().enumerate() {
        let aliases = vec![format!("old-{n}"), format!("mem-{n}")];
        let stated = Stated { aliases, ..Stated::default() };
        let kind = Some(Kind::AntiPattern);
        let added = lessons::add(
            &mut p.engine.memory,
            &p.engine.call,
            &AddRequest { text: text.into(), kind, is_global: false, stated },
        );
        let (id, decision) = (added.unwrap().body.id.to_string(), Decision::Approve);
        let because = "true".to_owned();
        let approve = DecideRequest { lesson: id, decision, because, by: None, with: None };
        lessons::decide(&mut p.engine.memory, &p.engine.call, &approve).unwrap();
    }
    let (injected, packet) = serve(&mut p, &request(None));
    assert_eq!(injected.lessons.len(), 3);
    let cautions = packet["caution_items"].as_array().unwrap();
    assert_eq!(cautions.len(), 2);
    assert!(cautions.iter().all(|text| text.as_str().unwrap().starts_with("avoid: ")));
    let mut ids: Vec<&str> = packet["applicable_memory_ids"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(Value::as_str)
        .collect();
    ids.sort();
    assert_eq!(ids, ["mem-0", "mem-1", "mem-2"]);
    let first = &packet["hardwon"]["items"][0];
    assert_eq!(first["lesson"], injected.lessons[0].lesson.id.as_str());

    let risk = Stated { category: Some("risk_pattern".into()), ..Stated::default() };
    let edit = EditRequest { kind: Some(Kind::Pattern), stated: risk, ..EditRequest::default() };
    lessons::edit(&mut p.engine.memory, &p.engine.call, "mem-0", &edit).unwrap();
    for other in ["mem-1", "mem-2"] {
        let edit = EditRequest { kind: Some(Kind::Pattern), ..EditRequest::default() };
        lessons::edit(&mut p.engine.memory, &p.engine.call, other, &edit).unwrap();
    }
    assert_eq!(serve(&mut p, &request(None)).1["caution_items"], json!([W]));
}

#[test]
fn a_packet_is_served_again_until_an_included_lesson_changes() {
    for mut p in Pipeline::on_both() {
        confirm(&mut p, &[W, UPLOAD]);
        let [w, upload] = [W, UPLOAD].map(|text| lesson(&p, text));
        let (first, packet) = serve(&mut p, &request(Some("r3")));
        assert_eq!((&packet["packet_id"], first.is_repeat), (&json!("r3-1"), false));
        // What was not in it makes no packet stale.
        confirm_more(&mut p, RETRY);
        let (second, _) = serve(&mut p, &request(Some("r3")));
        assert_eq!((second.block, second.is_repeat), (first.block.clone(), true));

        lessons::doubt(&mut p.engine.memory, &p.engine.call, upload.id.as_str(), "it misled us")
            .unwrap();
        let (third, packet) = serve(&mut p, &request(Some("r3")));
        assert_eq!((&packet["packet_id"], third.is_repeat), (&json!("r3-2"), false));
        assert!(third.block.contains(RETRY), "assembled from scratch");
        assert!(!third.block.contains(UPLOAD));
        assert!(serve(&mut p, &request(Some("r3"))).0.is_repeat);

        let text = Some("Search query is glued together from user input".to_owned());
        lessons::edit(
            &mut p.engine.memory,
            &p.engine.call,
            w.id.as_str(),
            &EditRequest { text, ..EditRequest::default() },
        )
        .unwrap();
        let (fourth, packet) = serve(&mut p, &request(Some("r3")));
        assert_eq!(packet["packet_id"], "r3-3");
        assert!(fourth.block.contains("from user input") && !fourth.block.contains(W));
        let shown = p.engine.memory.store().injections(&p.engine.call.project, &w.id).unwrap();
        assert_eq!(shown.len(), 3, "each packet is an injection");
        p.assert_sound();
    }
}

#[test]
fn pinning_an_included_lesson_makes_a_packet_stale() {
    for mut p in Pipeline::on_both() {
        confirm(&mut p, &[W, UPLOAD]);
        let w = lesson(&p, W);
        serve(&mut p, &request(Some("r3")));
        for (is_pinned, expected) in [(true, json!([W])), (false, json!([]))] {
            lessons::pin(&mut p.engine.memory, &p.engine.call, w.id.as_str(), is_pinned).unwrap();
            let (anew, packet) = serve(&mut p, &request(Some("r3")));
            assert!(!anew.is_repeat);
            assert_eq!(packet["pinned_items"], expected);
            assert!(serve(&mut p, &request(Some("r3"))).0.is_repeat);
        }
    }
}

fn confirm_more(p: &mut Pipeline, text: &str) {
    for id in ["r11", "r12"] {
        p.learn(&(run(id, &["guardian"]) + &warning(text)));
    }
}

#[test]
fn superseding_an_included_lesson_makes_packet_and_block_stale() {
    let mut p = confirmed(&[W, UPLOAD]);
    let [w, upload] = [W, UPLOAD].map(|text| lesson(&p, text));
    let (packet, block) = (serve(&mut p, &request(Some("r3"))).0, p.inject("r3"));
    supersede(&mut p, &upload, &w);
    assert!(!serve(&mut p, &request(Some("r3"))).0.is_repeat);
    let again = p.inject("r3");
    assert!(block.block.contains(UPLOAD) && !again.block.contains(UPLOAD) && !again.is_repeat);
    // Put back, the newest packet still holds.
    history::undo(&mut p.engine.memory, &p.engine.call, None).unwrap();
    let (now, value) = serve(&mut p, &request(Some("r3")));
    assert!(now.is_repeat && now.block != packet.block);
    assert_eq!(value["packet_id"], "r3-2");
}

#[test]
fn packets_of_one_run_have_different_numbers() {
    let mut p = confirmed(&[W]);
    let for_role = |role: &str| {
        let need = Need { role: Some(role.into()), ..Need::default() };
        InjectRequest { need, ..request(Some("r3")) }
    };
    let ids = ["sage", "maker", "sage"].map(|role| {
        let (_, packet) = serve(&mut p, &for_role(role));
        packet["packet_id"].as_str().unwrap().to_owned()
    });
    assert_eq!(ids, ["r3-1", "r3-2", "r3-1"]);
}

#[test]
fn many_left_out_lessons_are_counted_where_they_are_not_listed() {
    // Words of which no two lessons share one.
    let syllable = |n: usize| ["ka", "lo", "mi", "pu", "re", "so", "ta", "vu"][n % 8];
    let word = |n: usize| [n, n / 8, n / 64].map(syllable).concat();
    let texts: Vec<String> =
        (0..150).map(|n| [3 * n, 3 * n + 1, 3 * n + 2].map(word).join(" ")).collect();
    let mut p = Pipeline::on_memory();
    for (n, texts) in texts.chunks(15).enumerate() {
        let findings: String = texts.iter().map(|text| warning(text)).collect();
        for id in [format!("a{n}"), format!("b{n}")] {
            p.learn(&(run(&id, &["guardian"]) + &findings));
        }
    }
    for lesson in p.lessons().iter().skip(1) {
        lessons::doubt(&mut p.engine.memory, &p.engine.call, lesson.id.as_str(), "no longer sure")
            .unwrap();
    }
    let (injected, packet) = serve(&mut p, &request(None));
    assert!(injected.block.chars().count() <= 9500);
    assert_eq!(injected.lessons.len(), 1);
    let n_listed = packet["suppressed_memory_ids"].as_array().unwrap().len();
    let n_unlisted = packet["hardwon"]["unlisted"].as_u64().unwrap() as usize;
    assert!(n_listed > 40 && n_unlisted > 0, "{n_listed} {n_unlisted}");
    assert_eq!(n_listed + n_unlisted, p.lessons().len() - 1);
}

#[test]
fn an_echoed_packet_teaches_nothing() {
    let mut p = confirmed(&[W]);
    let need = Need { role: Some("maker".into()), ..Need::default() };
    let (served, packet) = serve(&mut p, &InjectRequest { need, ..request(Some("r3")) });
    let item = packet["hardwon"]["items"][0]["text"].as_str().unwrap();
    let before = lesson(&p, W);
    for echoed in [item, served.block.as_str()] {
        let bare = finding("maker", "warning", echoed).replace("\"cited\"", "\"reasoned\"");
        let bare = bare.replace("\"path\":\"src/api.rs\",\"line\":41,", "");
        p.learn(&(run("r3", &["maker"]) + &bare));
    }
    // Not even with a place and in another run: what stands between our marks is ours.
    p.learn(&(run("r4", &["guardian"]) + &finding("guardian", "warning", &served.block)));
    assert_eq!(lesson(&p, W).n_sightings, before.n_sightings);
    assert_eq!(p.lessons().len(), 1, "{:?}", p.lessons());
}
