//! Which notes may be told to whoever asks: those that lie where the environment says, unless the
//! user switched them off or the host tells them itself.

use hardwon_engine::settings::Settings;
use hardwon_engine::{Environment, InjectRequest};
use hardwon_foreign::jkz::notes::{self, Loaded, Places};
use hardwon_hosts::notes_folders;

/// Where the environment says that notes lie.
pub fn note_places() -> Places {
    let (stated, host_home) = notes_folders();
    Places { stated, host_home, role: None }
}

/// Whether the user wants nothing of notes.
pub fn has_no_notes(settings: &Settings) -> bool {
    settings.switch("notes") == Some(false)
}

/// The same request with the notes that its role may be told, without what its host tells it.
pub(crate) fn with_notes(
    request: InjectRequest,
    environment: &Environment,
    settings: &Settings,
    loaded: Loaded,
) -> InjectRequest {
    if has_no_notes(settings) {
        return request;
    }
    let role = request.need.role.as_deref();
    let notes = notes::at_hand(environment, &note_places(), role, loaded);
    InjectRequest { notes, ..request }
}
