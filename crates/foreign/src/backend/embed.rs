//! Vectors of texts, made by a command of the user's: a JSON list of texts on its standard input, a
//! JSON list of as many lists of numbers on its standard output.

use super::process::printed;

/// The vectors of some texts, one each; the reason if there are none.
pub fn vectors(command: &str, texts: &[String]) -> Result<Vec<Vec<f64>>, String> {
    let input = serde_json::to_vec(texts).map_err(|error| error.to_string())?;
    let printed = printed(command, &input).map_err(|reason| format!("it {reason}"))?;
    let vectors: Vec<Vec<f64>> =
        serde_json::from_slice(&printed).map_err(|_| "it printed no list of vectors")?;
    match vectors.len() == texts.len() {
        true => Ok(vectors),
        false => Err(format!("{} vectors for {} texts", vectors.len(), texts.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_gives_a_vector_for_each_text() {
        let texts = ["one", "two"].map(str::to_owned);
        let said = vectors("cat >/dev/null; echo '[[1,0.5],[0,1]]'", &texts).unwrap();
        assert_eq!(said, [[1.0, 0.5], [0.0, 1.0]]);
        for (command, reason) in [
            ("exit 3", "it ended with 3"),
            ("echo no", "it printed no list of vectors"),
            ("echo '[[1]]'", "1 vectors for 2 texts"),
            ("no-such-program-anywhere", "it ended with 127"),
        ] {
            assert_eq!(vectors(command, &texts).unwrap_err(), reason, "{command}");
        }
    }
}
