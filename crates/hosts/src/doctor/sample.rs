//! How long does a hook take, as the host sees it? A failed tool that does not exist is
//! sent through the installed command: that opens memory and looks something up, but
//! leaves nothing behind that counts.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hardwon_engine::answer::HealthCheck;
use hardwon_engine::{Environment, wall_clock};
use hardwon_render::check::{failed, ok, warning};
use serde_json::{Map, Value};

use crate::hook::dialect::Kind;
use crate::host::Host;
use crate::install::entry::guarded;
use crate::surroundings::Surroundings;

/// A hook that takes longer is broken.
const LIMIT: Duration = Duration::from_secs(5);

/// From here on a user notices.
const SLOW: Duration = Duration::from_millis(1000);

/// The check, if there is a command to try. Only commands that are exactly what `install`
/// writes are started: a checkout may bring others.
pub(super) fn answer(
    environment: &Environment,
    surroundings: &Surroundings,
    host: &Host,
    commands: &[String],
) -> Option<HealthCheck> {
    let name = host.checks.names.answer;
    let first = commands.first()?;
    let own = surroundings.own.as_deref().map(std::path::Path::display);
    let own = own.map(|own| own.to_string());
    let guarded = own.as_deref().map(|own| guarded(own, &host.arguments()));
    let earlier = own.map(|own| format!("{own} {}", host.arguments()));
    let own = [Some(host.command()), Some(host.earlier_command()), guarded, earlier];
    let Some(command) =
        commands.iter().find(|command| own.iter().flatten().any(|own| own == *command))
    else {
        let detail = format!("not tried: `{first}` is not what `hardwon install` writes");
        return Some(warning(name, detail, format!("hardwon uninstall {}", host.name)));
    };
    Some(match send(environment, surroundings, host, command) {
        Err(reason) => failed(name, reason, "hardwon doctor".to_owned()),
        Ok(taken) if taken > SLOW => warning(name, format!("took {} ms", taken.as_millis()), None),
        Ok(taken) => ok(name, format!("{} ms for a sample event", taken.as_millis())),
    })
}

/// A failed tool, in the host's own words.
fn event(environment: &Environment, host: &Host) -> String {
    // An event that was there already would be passed over.
    let id = format!("hardwon-doctor-{}", wall_clock().0);
    let cwd = environment.folder.display().to_string();
    let failure = "Exit code 1\nhardwon doctor tries a tool that does not exist";
    let fields = &host.dialect.fields;
    let of_kind = |kind: Kind| host.events.iter().find(|event| event.kind == kind);
    let (event, names) = match of_kind(Kind::ToolFailed) {
        Some(event) => (Some(event), fields.error),
        None => (of_kind(Kind::ToolDone), fields.response),
    };
    let mut object = Map::new();
    for (names, value) in [
        (fields.event, event.map_or("", |event| event.name)),
        (fields.session, &id),
        (fields.tool_id, &id),
        (fields.folder, &cwd),
        (fields.tool, "Bash"),
        (fields.command, "hardwon-sample"),
        (names, failure),
    ] {
        put(&mut object, names.first().copied().unwrap_or_default(), value);
    }
    Value::Object(object).to_string()
}

/// Puts a text under a name; a dot goes into an object.
fn put(object: &mut Map<String, Value>, name: &str, value: &str) {
    match name.split_once('.') {
        Some((outer, inner)) => {
            object.insert(outer.to_owned(), serde_json::json!({ inner: value }));
        }
        None => {
            object.insert(name.to_owned(), value.into());
        }
    }
}

/// Starts the command as the host does, and says how long it took.
fn send(
    environment: &Environment,
    surroundings: &Surroundings,
    host: &Host,
    command: &str,
) -> Result<Duration, String> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(&environment.folder).process_group(0);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    for (name, value) in [
        ("PATH", surroundings.path.clone()),
        ("HOME", environment.user_home.clone().map(Into::into)),
        ("HARDWON_HOME", environment.home.clone().map(Into::into)),
    ] {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    let started = Instant::now();
    let mut child = shell.spawn().map_err(|error| format!("sh cannot be started: {error}"))?;
    let event = event(environment, host);
    let (output, answer) = mpsc::channel();
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    std::thread::spawn(move || {
        // A hook that does not read its event has its reasons.
        let _ = stdin.map(|mut stdin| stdin.write_all(event.as_bytes()));
        let mut bytes = Vec::new();
        let _ = stdout.map(|stdout| stdout.take(64 << 10).read_to_end(&mut bytes));
        let _ = output.send(bytes);
    });
    let Ok(bytes) = answer.recv_timeout(LIMIT) else {
        end(&mut child);
        return Err(format!("`{command}` did not end within {} s", LIMIT.as_secs()));
    };
    let ended = child.wait().map_err(|error| error.to_string())?;
    let taken = started.elapsed();
    let is_fine = bytes.is_empty() || serde_json::from_slice::<serde_json::Value>(&bytes).is_ok();
    match (ended.code(), is_fine) {
        (Some(0), true) => Ok(taken),
        (Some(0), false) => Err(format!("`{command}` printed what is no JSON")),
        (code, _) => Err(format!("`{command}` ended with {}", code.unwrap_or(-1))),
    }
}

fn end(child: &mut Child) {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.kill();
    let _ = child.wait();
}
