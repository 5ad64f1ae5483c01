//! How does Claude Code name the folder in which it keeps a project's conversations?

use std::path::Path;

use hardwon_engine::project_key;

/// What it makes of a path.
pub fn folder_name(path: &Path) -> String {
    project_key(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_as_it_names_them() {
        assert_eq!(folder_name(Path::new("/home/me/my.app_2")), "-home-me-my-app-2");
        assert_eq!(folder_name(Path::new("/ü/\u{1f600}")), "-----");
        assert_eq!(folder_name(Path::new(&"/a".repeat(300))).len(), 200);
    }
}
