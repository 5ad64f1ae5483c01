//! Which hosts are here?

use hardwon_engine::Environment;
use hardwon_engine::answer::HostSeen;

use crate::conversations::{MAX_DEPTH, collect};
use crate::host::Host;
use crate::hosts::HOSTS;
use crate::surroundings::Surroundings;

/// Every host with what shows that it is here.
pub fn survey(environment: &Environment, surroundings: &Surroundings) -> Vec<HostSeen> {
    HOSTS.iter().map(|host| see(environment, surroundings, host)).collect()
}

fn see(environment: &Environment, surroundings: &Surroundings, host: &'static Host) -> HostSeen {
    let folder = surroundings.folder(environment, host).ok();
    let by_folder = folder.as_ref().filter(|folder| folder.is_dir());
    let sign = match (by_folder, surroundings.program(host.home.program)) {
        (Some(folder), _) => Some(format!("{} is there", folder.display())),
        (None, Some(program)) => Some(format!("{} is on PATH", program.display())),
        (None, None) => None,
    };
    let mut transcripts = Vec::new();
    if let Some(folder) = by_folder {
        collect(&folder.join(host.sessions.folder), MAX_DEPTH, &mut transcripts);
    }
    HostSeen { name: host.name, title: host.title, sign, n_transcripts: transcripts.len() as u64 }
}
