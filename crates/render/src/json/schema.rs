//! The published schemas, one for each command that answers in JSON, made from the types
//! of the answers. `docs/schemas/` holds them; a test compares.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::{Envelope, Nothing};
use crate::answer::*;

const DESCRIPTION: &str = "One object on standard output. Names are stable; more may be added. \
    A command that failed answers as error.schema.json says.";

/// File name and schema of each answer, by command.
pub fn schemas() -> Vec<(String, Value)> {
    let one_lesson = ["add", "edit", "pin", "mark", "restore"];
    let lists = ["list"];
    let mut schemas = vec![
        schema::<Learned>("learn"),
        schema::<Hits>("search"),
        schema::<Injected>("inject"),
        schema::<RunEnded>("outcome"),
        schema::<Checked>("check"),
        schema::<Regressions>("regressions"),
        schema::<Swept>("decay"),
        schema::<Backtested>("backtest"),
        schema::<Report>("report"),
        schema::<Stats>("stats"),
        schema::<LessonPage>("show"),
        schema::<LessonStory>("why"),
        schema::<History>("history"),
        schema::<LessonVersions>("history versions"),
        schema::<ForeignAnswers>("jkz"),
        schema::<Undone>("undo"),
        schema::<Settings>("config list"),
        schema::<Policy>("policy show"),
        schema::<PolicyDiff>("policy diff"),
        schema::<Queue>("review list"),
        schema::<NearPairs>("merge"),
        schema::<Guarded>("guard"),
        schema::<ForeignWords>("archeflow"),
        schema::<Forgotten>("forget"),
        schema::<Imported>("import"),
        schema::<Exported>("export"),
        schema::<ForeignFolder>("trust"),
        schema::<Health>("doctor"),
        schema::<MergedProjects>("project merge"),
        schema::<CopiedStore>("store copy"),
        schema::<KeptCopy>("store keep"),
        schema::<Migrated>("store migrate"),
        schema::<TeamShown>("team"),
        schema::<Shared>("share"),
        schema::<ApprovedLessons>("shared"),
        schema::<TokenMade>("team token create"),
        schema::<ModelUsed>("model use"),
        schema::<ModelUsage>("usage"),
        schema::<AskAnswered>("ask"),
        schema::<WouldAsk>("reflect dry-run"),
        schema::<PromptPrinted>("reflect prompt"),
        schema::<Served>("mcp"),
        schema::<Serving>("serve"),
        schema::<Runs>("runs list"),
        schema::<Runs>("runs tree"),
        schema::<RunStory>("runs show"),
        schema::<Deliberations>("runs deliberations"),
        schema::<DeliberationShown>("runs deliberations show"),
        schema::<FindingsListed>("findings list"),
        schema::<FindingStory>("findings show"),
        schema::<Tried>("tried"),
        schema::<NotesListed>("jkz list"),
        schema::<NoteShown>("jkz show"),
        schema::<NotesChecked>("jkz check"),
        schema::<NotesWritten>("jkz add"),
        schema::<NotesWritten>("jkz forget"),
        schema::<NotesWritten>("jkz lesson"),
        schema::<NotePromotion>("jkz promote"),
        schema::<NotesStatus>("jkz status"),
        schema::<NotesReview>("jkz review"),
        schema::<NotesAudit>("jkz audit"),
        schema::<NotesProposals>("jkz learn"),
        schema::<Learned>("geas extract"),
        schema::<GeasLogs>("geas log"),
        schema::<GeasPacket>("geas packet"),
        schema::<GeasNotebook>("geas notebook"),
        schema::<GeasRules>("geas rules"),
        schema::<Queue>("geas review"),
        schema::<GeasCollected>("geas collect"),
        schema::<GeasEvolved>("geas evolve"),
        schema::<Swept>("geas decay"),
        schema::<GeasIndexed>("geas index"),
        schema::<GeasValidated>("geas validate"),
        schema::<Reflected>("reflect"),
        schema::<Projects>("project list"),
        schema::<ProjectShown>("project show"),
        schema::<Events>("events"),
        schema::<Nothing>("error"),
    ];
    let plugging = ["init", "install", "uninstall"];
    schemas.extend(plugging.map(schema::<Installation>));
    schemas.extend(lists.map(schema::<Lessons>));
    schemas.extend(one_lesson.map(schema::<OneLesson>));
    schemas.sort_by(|(left, _), (right, _)| left.cmp(right));
    schemas
}

fn schema<T: JsonSchema>(name: &str) -> (String, Value) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Envelope<T>>();
    let title = match name {
        "error" => "any hardwon command --json that failed".to_owned(),
        answer => format!("answer of hardwon --json: {answer}"),
    };
    schema.insert("title".to_owned(), json!(title));
    schema.insert("description".to_owned(), json!(DESCRIPTION));
    (format!("{}.schema.json", name.replace(' ', "-")), schema.to_value())
}
