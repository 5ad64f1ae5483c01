//! Hosts' files on a real file system.

mod install;
