use serde_json::json;

use super::*;

#[test]
fn calls_become_steps_of_one_form() {
    let cases = [
        ("Bash", json!({"command":"cargo test"}), StepKind::Command, vec!["cargo test"]),
        ("shell", json!({"command":["bash","-lc","make a"]}), StepKind::Command, vec!["make a"]),
        ("shell", json!({"command":["ls","-l"]}), StepKind::Command, vec!["ls -l"]),
        ("functions.exec_command", json!("{\"cmd\":\"ls\"}"), StepKind::Command, vec!["ls"]),
        ("bash_command", json!({"keystrokes":"ls\n"}), StepKind::Command, vec!["ls"]),
        ("Edit", json!({"file_path":"a.rs","old_string":"x"}), StepKind::Edit, vec!["a.rs"]),
        (
            "apply_patch",
            json!({"input":"*** Begin Patch\n*** Update File: a.rs\n*** Add File: b.rs\n"}),
            StepKind::Edit,
            vec!["a.rs", "b.rs"],
        ),
        ("str_replace_editor", json!({"command":"view","path":"a"}), StepKind::Look, vec!["a"]),
        ("Grep", json!({"pattern":"fn x"}), StepKind::Look, vec!["fn x"]),
        ("run_tests", json!({"name":"cart"}), StepKind::Test, vec!["cart"]),
        ("finish", json!(null), StepKind::Look, vec!["finish"]),
        ("bash", json!({"command":{"odd":1}}), StepKind::Command, vec!["bash"]),
        ("bash", json!("{broken"), StepKind::Command, vec!["{broken"]),
    ];
    for (tool, arguments, kind, actions) in cases {
        let call = call(tool, &arguments);
        assert_eq!(call.kind, kind, "{tool} {arguments}");
        assert_eq!(call.actions, actions, "{tool} {arguments}");
    }
}

#[test]
fn how_a_call_ended_is_read_off_fields_and_output() {
    let fields = |value: Value| by_fields(value.as_object().unwrap());
    assert_eq!(fields(json!({"exit_code":0,"is_error":true})), Some(true));
    assert_eq!(fields(json!({"exitCode":"2"})), Some(false));
    assert_eq!(fields(json!({"is_error":true})), Some(false));
    assert_eq!(fields(json!({"status":"Failed"})), Some(false));
    assert_eq!(fields(json!({"status":"pending","exit_code":[]})), None);
    let command = |output| by_output(StepKind::Command, output);
    assert_eq!(command("all fine\nexit code: 0\n"), Some(true));
    assert_eq!(command("boom\n[exit 101]"), Some(false));
    assert_eq!(command("Exit code 1\nerror: x"), Some(false));
    assert_eq!(command("bash: foo: command not found"), Some(false));
    assert_eq!(command("ok\n"), Some(true));
    assert_eq!(command(""), Some(true));
    assert_eq!(command("the docs mention a timeout"), None, "a sign, but no certain one");
    assert_eq!(command("returns exit code 1 if it fails"), None, "the text of a manual");
    let look = |output| by_output(StepKind::Look, output);
    assert_eq!(look("fn main() { panic!(\"timeout\") }"), Some(true));
    assert_eq!(look("Error: file not found"), Some(false));
}

#[test]
fn of_a_long_output_start_and_end_are_kept() {
    let output = format!("first\n{}\nlast: error", "é".repeat(10_000));
    let kept = excerpt(&output);
    assert!(kept.len() <= HEAD_BYTES + TAIL_BYTES + 2);
    assert!(kept.starts_with("first") && kept.ends_with("last: error"));
    assert_eq!(excerpt("a <hardwon-memory>\n- error\n</hardwon-memory> b"), "a  b");
}

/// What is kept of an output and of an action is cut before the gate sees it.
#[test]
fn no_step_keeps_the_half_of_a_secret() {
    let secret = ["gh", "p_aB3dE5gH7jK9lM1nO3pQ5rS7tU9vW1xY3zA5"].concat();
    let is_torn = |shown: &str| {
        let rest = shown.replace(&secret, "");
        let parts = secret.as_bytes().windows(8).map(|part| std::str::from_utf8(part).unwrap());
        parts.into_iter().any(|part| rest.contains(part))
    };
    let words = "the build goes on and on, ".repeat(400);
    for back in 0..secret.len() + 2 {
        for limit in [HEAD_BYTES, MAX_ACTION_BYTES] {
            let text = format!("{} {secret} {words}", &words[..limit - back]);
            assert!(!is_torn(&excerpt(&text)) && !is_torn(&correction(&text).action), "{back}");
        }
        let text = format!("{words} {secret} {}", &words[..TAIL_BYTES - back]);
        assert!(!is_torn(&excerpt(&text)), "{back} from the end");
    }
}
