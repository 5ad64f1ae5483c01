//! Everything that `doctor` looks at besides coding agents.

use hardwon_engine::answer::{Answer, Health};
use hardwon_engine::{DoctorRequest, Environment, Options};
use hardwon_foreign::ask;
use hardwon_foreign::jkz::notes;

use crate::notes::{has_no_notes, note_places};

/// The store, notes and models. `on_part` hears what is being looked at.
pub fn doctor(
    environment: &Environment,
    options: &Options,
    request: DoctorRequest,
    on_part: &mut dyn FnMut(&str),
) -> Answer<Health> {
    let mut answer = hardwon_engine::doctor(environment, options, request, on_part);
    if !has_no_notes(&options.settings(environment)) {
        on_part("notes");
        answer.body.checks.extend(notes::health(environment, &note_places()));
    }
    on_part("models");
    answer.body.checks.extend(ask::health(environment, options));
    answer.status = answer.body.status();
    answer
}
