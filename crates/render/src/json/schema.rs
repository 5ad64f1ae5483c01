//! The published schemas, one for each command that answers in JSON, made from the wire
//! structs themselves. `docs/schemas/` holds them; a test compares.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::doctor::DoctorWire;
use super::episodes::{RunShowWire, RunsWire};
use super::erase::ForgetWire;
use super::events::EventsWire;
use super::inject::InjectWire;
use super::install::InstallWire;
use super::journal::{HistoryWire, UndoWire};
use super::lesson::{LessonsWire, OneLessonWire};
use super::mcp::McpWire;
use super::project::{ProjectShowWire, ProjectsWire};
use super::reflect::ReflectWire;
use super::replay::ReplayWire;
use super::report::{ReportWire, StatsWire};
use super::review::{GuardWire, NearWire, QueueWire};
use super::runs::{CheckWire, DecayWire, LearnWire, OutcomeWire, RegressionsWire};
use super::said::SaidWire;
use super::settings::{ConfigWire, PolicyDiffWire, PolicyWire};
use super::story::{ShowWire, WhyWire};
use super::transfer::{ExportWire, ImportWire, TrustWire};
use super::{Envelope, Nothing};

const DESCRIPTION: &str = "One object on standard output. Names are stable; more may be added. \
    A command that failed answers as error.schema.json says.";

/// File name and schema of each answer, by command.
pub fn schemas() -> Vec<(String, Value)> {
    let one_lesson = ["add", "edit", "pin", "mark", "restore"];
    let lists = ["list", "search"];
    let mut schemas = vec![
        schema::<LearnWire>("learn"),
        schema::<InjectWire>("inject"),
        schema::<OutcomeWire>("outcome"),
        schema::<CheckWire>("check"),
        schema::<RegressionsWire>("regressions"),
        schema::<DecayWire>("decay"),
        schema::<ReplayWire>("replay"),
        schema::<ReportWire>("report"),
        schema::<StatsWire>("stats"),
        schema::<ShowWire>("show"),
        schema::<WhyWire>("why"),
        schema::<HistoryWire>("history"),
        schema::<UndoWire>("undo"),
        schema::<ConfigWire>("config list"),
        schema::<PolicyWire>("policy show"),
        schema::<PolicyDiffWire>("policy diff"),
        schema::<QueueWire>("review list"),
        schema::<NearWire>("merge"),
        schema::<GuardWire>("guard"),
        schema::<SaidWire>("archeflow"),
        schema::<ForgetWire>("forget"),
        schema::<ImportWire>("import"),
        schema::<ExportWire>("export"),
        schema::<TrustWire>("trust"),
        schema::<DoctorWire>("doctor"),
        schema::<McpWire>("mcp"),
        schema::<RunsWire>("runs list"),
        schema::<RunsWire>("runs tree"),
        schema::<RunShowWire>("runs show"),
        schema::<ReflectWire>("reflect"),
        schema::<ProjectsWire>("project list"),
        schema::<ProjectShowWire>("project show"),
        schema::<EventsWire>("events"),
        schema::<Nothing>("error"),
    ];
    let plugging = ["init", "install", "uninstall"];
    schemas.extend(plugging.map(schema::<InstallWire>));
    schemas.extend(lists.map(schema::<LessonsWire>));
    schemas.extend(one_lesson.map(schema::<OneLessonWire>));
    schemas.sort_by(|(left, _), (right, _)| left.cmp(right));
    schemas
}

fn schema<T: JsonSchema>(command: &str) -> (String, Value) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Envelope<T>>();
    let title = match command {
        "error" => "any hardwon command --json that failed".to_owned(),
        command => format!("hardwon {command} --json"),
    };
    schema.insert("title".to_owned(), json!(title));
    schema.insert("description".to_owned(), json!(DESCRIPTION));
    (format!("{}.schema.json", command.replace(' ', "-")), schema.to_value())
}
