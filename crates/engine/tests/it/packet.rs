//! The memory packet: what is in it, what was left out of it and why, and when it is
//! assembled anew.

use hardwon_engine::answer::Injected;
use hardwon_engine::lesson::{Decision, Kind, Lesson};
use hardwon_engine::need::Need;
use hardwon_engine::scope::Dimension;
use hardwon_engine::{AddRequest, DecideRequest, EditRequest, InjectRequest, Stated, Style};
use serde_json::{Value, json};

use crate::harness::{Pipeline, W, decision_on, reworded, role, run, run_id, warning, wish};

const UPLOAD: &str = "Upload handler forgets the size limit of attachments";
const RETRY: &str = "Retry loop has no upper bound";
const CACHE: &str = "Cache key leaves out the tenant";

fn request(run: Option<&str>) -> InjectRequest {
    let style = Some(Style::Packet);
    InjectRequest { run: run.map(run_id), style, ..InjectRequest::default() }
}

fn serve(p: &mut Pipeline, request: &InjectRequest) -> (Injected, Value) {
    let injected = p.serve(request);
    let packet = serde_json::from_str(&injected.block).unwrap_or_default();
    (injected, packet)
}

/// The packet of `r3`.
fn serve_r3(p: &mut Pipeline) -> (Injected, Value) {
    serve(p, &request(Some("r3")))
}

/// Each suppressed lesson's reason, by id.
fn reason<'a>(packet: &'a Value, lesson: &Lesson) -> &'a str {
    let all = packet["hardwon"]["suppressed"].as_array().unwrap();
    let found = all.iter().find(|one| one["id"] == lesson.id.as_str());
    found.unwrap_or_else(|| panic!("{} is not in {all:?}", lesson.id))["reason"].as_str().unwrap()
}

fn supersede(p: &mut Pipeline, old: &Lesson, new: &Lesson) {
    let with = Some(new.id.to_string());
    p.decide(&DecideRequest { with, ..decision_on(old, Decision::Supersede) }).unwrap();
}

#[test]
fn pinned_lessons_stand_outside_the_budget_and_all_else_is_suppressed() {
    let mut p = Pipeline::confirming(&[W, UPLOAD, RETRY]);
    let pinned = p.lesson_saying(W);
    p.pin(pinned.id.as_str(), true).unwrap();
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
        assert_eq!(reason(&packet, &p.lesson_saying(text)), "no room left within 0 tokens");
    }
    p.pin(pinned.id.as_str(), false).unwrap();
    let (empty, _) = serve(&mut p, &InjectRequest { budget: Some(0), ..request(None) });
    assert_eq!(empty.block, "", "nothing to say is nothing");
}

#[test]
fn every_lesson_is_included_or_has_a_reason() {
    let mut p = Pipeline::confirming(&[W, UPLOAD, RETRY, CACHE]);
    let [w, upload, retry, cache] = [W, UPLOAD, RETRY, CACHE].map(|text| p.lesson_saying(text));
    p.doubt(upload.id.as_str(), "it misled us").unwrap();
    supersede(&mut p, &retry, &w);
    let scope = vec![(Dimension::Role, "sage".to_owned())];
    let stated = Stated { scope, ..Stated::default() };
    p.edit(cache.id.as_str(), &EditRequest { stated, ..EditRequest::default() }).unwrap();
    // Seen in one run only: not yet memory.
    p.learn_finding("r9", "Mailer sends before the commit");
    let need = Need { task: Some("T-1".into()), ..role("maker") };
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
    let again = p.compose(&explained).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&again.block).unwrap(), packet);
    assert_eq!(again.left_out.len(), 4, "the explanation names the candidate, too");
}

#[test]
fn at_most_two_cautions_and_foreign_names_first() {
    let mut p = Pipeline::on_memory();
    for (n, text) in [W, UPLOAD, RETRY].into_iter().enumerate() {
        let aliases = vec![format!("old-{n}"), format!("mem-{n}")];
        let stated = Stated { aliases, ..Stated::default() };
        let request = AddRequest { kind: Some(Kind::AntiPattern), stated, ..wish(text) };
        let added = p.add(&request).unwrap().body;
        p.review(&added, Decision::Approve).unwrap();
    }
    let (injected, packet) = serve(&mut p, &request(None));
    assert_eq!(injected.lessons.len(), 3);
    let cautions = packet["caution_items"].as_array().unwrap();
    assert_eq!(cautions.len(), 2);
    assert!(cautions.iter().all(|text| [W, UPLOAD, RETRY].contains(&text.as_str().unwrap())));
    let ids = packet["applicable_memory_ids"].as_array().unwrap();
    let mut ids: Vec<&str> = ids.iter().flat_map(Value::as_str).collect();
    ids.sort();
    assert_eq!(ids, ["mem-0", "mem-1", "mem-2"]);
    let first = &packet["hardwon"]["items"][0];
    assert_eq!(first["lesson"], injected.lessons[0].lesson.id.as_str());

    let risk = Stated { category: Some("risk_pattern".into()), ..Stated::default() };
    let edit = EditRequest { kind: Some(Kind::Pattern), stated: risk, ..EditRequest::default() };
    p.edit("mem-0", &edit).unwrap();
    for other in ["mem-1", "mem-2"] {
        let edit = EditRequest { kind: Some(Kind::Pattern), ..EditRequest::default() };
        p.edit(other, &edit).unwrap();
    }
    assert_eq!(serve(&mut p, &request(None)).1["caution_items"], json!([W]));
}

#[test]
fn a_packet_is_served_again_until_an_included_lesson_changes() {
    for mut p in Pipeline::on_both() {
        p.confirm(&[W, UPLOAD]);
        let [w, upload] = [W, UPLOAD].map(|text| p.lesson_saying(text));
        let (first, packet) = serve_r3(&mut p);
        assert_eq!((&packet["packet_id"], first.is_repeat), (&json!("r3-1"), false));
        // What was not in it makes no packet stale.
        p.learn_finding("r11", RETRY);
        p.learn_finding("r12", RETRY);
        let (second, _) = serve_r3(&mut p);
        assert_eq!((second.block, second.is_repeat), (first.block.clone(), true));

        p.doubt(upload.id.as_str(), "it misled us").unwrap();
        let (third, packet) = serve_r3(&mut p);
        assert_eq!((&packet["packet_id"], third.is_repeat), (&json!("r3-2"), false));
        assert!(third.block.contains(RETRY), "assembled from scratch");
        assert!(!third.block.contains(UPLOAD));
        assert!(serve_r3(&mut p).0.is_repeat);

        p.edit(w.id.as_str(), &reworded("Search query is glued from user input")).unwrap();
        let (fourth, packet) = serve_r3(&mut p);
        assert_eq!(packet["packet_id"], "r3-3");
        assert!(fourth.block.contains("from user input") && !fourth.block.contains(W));
        let shown = p.memory.store.injections(&p.call.project, &w.id).unwrap();
        assert_eq!(shown.len(), 3, "each packet is an injection");
        p.assert_sound();
    }
}

#[test]
fn superseding_an_included_lesson_makes_packet_and_block_stale() {
    let mut p = Pipeline::confirming(&[W, UPLOAD]);
    let [w, upload] = [W, UPLOAD].map(|text| p.lesson_saying(text));
    let (packet, block) = (serve_r3(&mut p).0, p.inject("r3"));
    supersede(&mut p, &upload, &w);
    assert!(!serve_r3(&mut p).0.is_repeat);
    let again = p.inject("r3");
    assert!(block.block.contains(UPLOAD) && !again.block.contains(UPLOAD) && !again.is_repeat);
    // Put back, the newest packet still holds.
    p.undo().unwrap();
    let (now, value) = serve_r3(&mut p);
    assert!(now.is_repeat && now.block != packet.block);
    assert_eq!(value["packet_id"], "r3-2");
}

#[test]
fn packets_of_one_run_have_different_numbers() {
    let mut p = Pipeline::confirming(&[W]);
    let ids = ["sage", "maker", "sage"].map(|name| {
        let request = InjectRequest { need: role(name), ..request(Some("r3")) };
        let (_, packet) = serve(&mut p, &request);
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
        p.doubt(lesson.id.as_str(), "no longer sure").unwrap();
    }
    let (injected, packet) = serve(&mut p, &request(None));
    assert!(injected.block.chars().count() <= 9500);
    assert_eq!(injected.lessons.len(), 1);
    let n_listed = packet["suppressed_memory_ids"].as_array().unwrap().len();
    let n_unlisted = packet["hardwon"]["unlisted"].as_u64().unwrap() as usize;
    assert!(n_listed > 40 && n_unlisted > 0, "{n_listed} {n_unlisted}");
    assert_eq!(n_listed + n_unlisted, p.lessons().len() - 1);
}
