//! What manifests say of a project: scripts, dependencies and versions, each with its place.

/// What a field of a manifest is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldKind {
    /// A command by name: a script of `package.json`, a target of a `Makefile`.
    Script,
    Dependency,
    /// The version of the language, of a tool, or of the project itself.
    Version,
}

impl FieldKind {
    pub fn as_str(self) -> &'static str {
        match self {
            FieldKind::Script => "script",
            FieldKind::Dependency => "dependency",
            FieldKind::Version => "version",
        }
    }
}

/// One field of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManifestField {
    pub file: String,
    pub line: usize,
    pub kind: FieldKind,
    /// `lint`, `react`, `node`.
    pub name: String,
    /// The command, or the version as it is written.
    pub value: String,
}
