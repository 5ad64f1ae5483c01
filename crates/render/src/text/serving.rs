//! Where memory is served.

use crate::answer::Serving;

pub fn serving(serving: &Serving) -> String {
    match serving {
        Serving { url: Some(url), pid: Some(pid), .. } => {
            format!("serving at {url} (process {pid})\n")
        }
        Serving { url: Some(url), .. } => format!("{url}\n"),
        Serving { token_file: Some(path), .. } => {
            format!(
                "a new token is in {path}; open pages have to come in anew: hardwon serve --code\n"
            )
        }
        Serving { .. } => "no server runs here; start one with: hardwon serve\n".to_owned(),
    }
}
