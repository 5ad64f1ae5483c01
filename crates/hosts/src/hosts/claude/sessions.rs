//! How does Claude Code name the folder in which it keeps a project's conversations?

use std::path::Path;

/// The name is cut here, and Claude Code adds something of its own.
const MAX_CHARS: usize = 200;

/// What it makes of a path: everything but letters and digits is a dash.
pub fn folder_name(path: &Path) -> String {
    let path = path.to_string_lossy();
    let plain = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        Ok(_) | Err(_) => '-',
    };
    path.encode_utf16().take(MAX_CHARS).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_as_it_names_them() {
        assert_eq!(folder_name(Path::new("/home/me/my.app_2")), "-home-me-my-app-2");
        assert_eq!(folder_name(Path::new("/ü/\u{1f600}")), "-----");
        assert_eq!(folder_name(Path::new(&"/a".repeat(300))).len(), MAX_CHARS);
    }
}
