//! Embeddings that a command of the user's makes take part in a search; without them words decide.

use crate::harness::{Memory, list_of, text_of};

const BOTH: &str = "Bind every value of a query";
const ONE: &str = "Close a query that nobody reads";

fn found(memory: &Memory) -> (Vec<(String, f64)>, String) {
    let ran = memory.run(&["list", "query values", "--json"]).exits(0);
    let answer = ran.json();
    let hits = list_of(&answer, "lessons")
        .into_iter()
        .map(|hit| (text_of(&hit, "text"), hit["score"].as_f64().expect("a score is a number")));
    (hits.collect(), ran.stderr)
}

#[test]
fn embeddings_count_six_tenths_and_without_them_words_decide() {
    let memory = Memory::new();
    memory.json(&["add", BOTH]);
    memory.json(&["add", ONE]);
    let (by_words, said) = found(&memory);
    assert_eq!(by_words.iter().map(|hit| &*hit.0).collect::<Vec<_>>(), [BOTH, ONE]);
    assert!(said.is_empty(), "{said}");

    // The search is like the second text alone.
    let command = "embed_command = \"cat > /dev/null; echo '[[1, 0], [0, 1], [2, 0]]'\"\n";
    memory.write_home("config.toml", command);
    let (blended, said) = found(&memory);
    assert_eq!(blended.iter().map(|hit| &*hit.0).collect::<Vec<_>>(), [ONE, BOTH]);
    assert!((blended[0].1 - (0.6 + 0.4 * by_words[1].1)).abs() < 0.002, "{blended:?}");
    assert!((blended[1].1 - 0.4 * by_words[0].1).abs() < 0.002, "{blended:?}");
    assert!(said.is_empty(), "{said}");

    memory.write_home("config.toml", "embed_command = \"no-such-program-anywhere\"\n");
    let (without, said) = found(&memory);
    assert_eq!(without, by_words);
    assert!(said.contains("searched by words only"), "{said}");
}
