//! Memory for one request at a time. Reading keeps it open between requests as long as the files
//! are the ones that were opened; writing opens it anew, so that nothing is written to a file that
//! was moved away.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use hardwon_engine::ids::ProjectId;
use hardwon_engine::people::Refusal;
use hardwon_engine::{
    Access, Call, EngineError, Environment, Memory, OpenMemory, Options, Watched, projects, seat,
};

use super::door::Guest;
use super::trouble::Trouble;
use crate::hands::Hand;

/// Open memories that wait for the next request, at most.
const MAX_IDLE: usize = 4;

/// What was seen of a file: another one means that memory is opened anew.
type Seen = (PathBuf, Option<(u64, u64, i64, i64)>);

pub struct Desk {
    pub environment: Environment,
    pub options: Options,
    idle: Mutex<Vec<Idle>>,
    /// Whether the store was there before: then it has to be there.
    was_there: AtomicBool,
}

struct Idle {
    access: Access,
    /// What it depends on; nothing if it is not kept.
    seen: Option<Vec<Seen>>,
    open: OpenMemory,
}

/// Memory for the time of one request.
pub struct Lent<'a> {
    desk: &'a Desk,
    idle: Option<Idle>,
    pub call: Call,
}

impl Desk {
    pub fn new(environment: Environment, options: Options) -> Desk {
        Desk { environment, options, idle: Mutex::default(), was_there: AtomicBool::new(false) }
    }

    /// Memory for this guest, about the project that was asked for. A project that nobody ever
    /// wrote to is none: asking makes none.
    pub fn lend(
        &self,
        _: &Hand,
        guest: &Guest,
        project: Option<&str>,
        access: Access,
    ) -> Result<Lent<'_>, Trouble> {
        let seen = self.look()?.filter(|_| access != Access::Write);
        let waiting = seen.as_ref().and_then(|seen| self.take(access, seen));
        let idle = match waiting {
            Some(idle) => idle,
            None => {
                let mut open = OpenMemory::open(&self.environment, &self.options, access)?;
                open.memory.keep_needs();
                Idle { access, seen, open }
            }
        };
        let mut call = idle.open.call.speaking(guest.speaker.clone(), guest.via.actor());
        call.now = self.environment.now()?;
        // From here on it is handed back, whatever becomes of the request.
        let mut lent = Lent { desk: self, idle: Some(idle), call };
        let own = guest.member.as_ref().and_then(|ticket| ticket.project.as_deref());
        let project = project.or(own).map(ProjectId::new);
        let elsewhere = project.filter(|it| *it != lent.call.project);
        lent.call = self.admitted(&lent, guest, elsewhere)?;
        Ok(lent)
    }

    /// The call of this guest, about the project that is meant. Who is no member of a project does not
    /// learn whether it is there.
    fn admitted(
        &self,
        lent: &Lent<'_>,
        guest: &Guest,
        elsewhere: Option<ProjectId>,
    ) -> Result<Call, EngineError> {
        let about = || match elsewhere {
            Some(project) => Ok(lent.call.about(projects::known(lent.memory(), &project)?.id)),
            None => Ok(lent.call.clone()),
        };
        let Some(ticket) = &guest.member else { return about() };
        let admit = |call: Call| seat::admit(lent.memory(), &call, &ticket.digest, guest.needs);
        about().and_then(admit).map_err(|error| match error {
            EngineError::UnknownProject { .. } | EngineError::NotAllowed(Refusal::NoTeam) => {
                EngineError::NotAllowed(Refusal::UnknownToken)
            }
            other => other,
        })
    }

    /// The files that memory depends on, as they are now. Nothing if it cannot be kept open: others
    /// write it without our knowing.
    fn look(&self) -> Result<Option<Vec<Seen>>, Trouble> {
        let Watched { settings, store, is_foreign } = self.options.watched(&self.environment);
        let mut seen: Vec<Seen> = settings.into_iter().map(|path| seen_of(path, true)).collect();
        if let Some(path) = store {
            // A store changes all the time and stays the same file.
            let (path, about) = seen_of(path, false);
            self.was_there.fetch_or(about.is_some(), Ordering::Relaxed);
            if about.is_none() && self.was_there.load(Ordering::Relaxed) {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                return Err(Trouble::gone(format!("the store {name} was there and is gone")));
            }
            seen.push((path, about));
        }
        Ok((!is_foreign).then_some(seen))
    }

    fn take(&self, access: Access, seen: &[Seen]) -> Option<Idle> {
        let mut idle = self.idle();
        idle.retain(|one| one.seen.as_deref() == Some(seen));
        let index = idle.iter().position(|one| one.access == access)?;
        Some(idle.swap_remove(index))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file as it is now; of a small one also when it was changed.
fn seen_of(path: PathBuf, with_time: bool) -> Seen {
    let about = fs::metadata(&path).ok().map(|about| {
        let changed = if with_time { (about.mtime(), about.mtime_nsec()) } else { (0, 0) };
        (about.dev(), about.ino(), changed.0, changed.1)
    });
    (path, about)
}

impl Lent<'_> {
    /// Memory, and who asks.
    pub fn parts(&mut self) -> (&mut Memory, &Call) {
        let idle = self.idle.as_mut().expect("it is handed back by drop only");
        (&mut idle.open.memory, &self.call)
    }

    pub fn memory(&self) -> &Memory {
        &self.idle.as_ref().expect("it is handed back by drop only").open.memory
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // What a fault left half done is nothing to go on with.
        let Some(one) = self.idle.take().filter(|_| !thread::panicking()) else { return };
        let mut idle = self.desk.idle();
        if one.seen.is_some() && idle.len() < MAX_IDLE {
            idle.push(one);
        }
    }
}
