//! Addresses of our own pages, and which addresses of others may be links.

pub(super) use hardwon_core::percent::encoded;

use super::Shell;

/// An address below `/`, with its query.
pub(super) struct Link {
    path: String,
    query: Vec<(&'static str, String)>,
}

impl Link {
    /// A page without an id: `lessons`.
    pub(super) fn page(name: &str) -> Link {
        Link { path: format!("/{name}"), query: Vec::new() }
    }

    /// A page of one thing: `lessons/l-1`.
    pub(super) fn of(name: &str, id: &str) -> Link {
        Link { path: format!("/{name}/{}", encoded(id)), query: Vec::new() }
    }

    /// What is done to a lesson: `lessons/l-1/pin`.
    pub(super) fn act(self, what: &str) -> Link {
        Link { path: format!("{}/{what}", self.path), ..self }
    }

    /// With a parameter, unless it says nothing.
    pub(super) fn with(mut self, name: &'static str, value: &str) -> Link {
        if !value.is_empty() {
            self.query.push((name, value.to_owned()));
        }
        self
    }

    /// As an attribute, for the project that is looked at.
    pub(super) fn to(self, shell: &Shell<'_>) -> String {
        let project = if shell.is_default_project { "" } else { shell.project };
        let Link { mut path, query } = self.with("project", project);
        for (index, (name, value)) in query.iter().enumerate() {
            path.push(if index == 0 { '?' } else { '&' });
            path.push_str(name);
            path.push('=');
            path.push_str(&encoded(value));
        }
        path
    }
}

pub(super) fn lesson(id: &str, shell: &Shell<'_>) -> String {
    Link::of("lessons", id).to(shell)
}

pub(super) fn run(id: &str, shell: &Shell<'_>) -> String {
    Link::of("runs", id).to(shell)
}

pub(super) fn session(id: &str, shell: &Shell<'_>) -> String {
    Link::of("sessions", id).to(shell)
}

/// An address of others that may be followed: http or https and nothing else.
pub(super) fn outside(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let is_web = lower.starts_with("https://") || lower.starts_with("http://");
    let is_plain = text.chars().all(|c| !c.is_whitespace() && !c.is_control());
    Some(text).filter(|_| is_web && is_plain)
}
