//! Planned writes, done in their order. What is replaced goes to the disk together, up to the next
//! write of another kind; so does what is removed.

use super::files::{FileWrite, Write};
use super::layout::{Owner, Place};
use crate::{Folder, FolderError};

/// Does all of them; when this returns they are on the disk.
pub(super) fn put_all(
    writes: &[FileWrite],
    place: &Place,
    is_durable: bool,
) -> Result<(), FolderError> {
    for some in writes.chunk_by(|one, next| kind(one) == kind(next)) {
        let Some(folder) = some.first().and_then(|it| place.folder(it.owner)) else { continue };
        match some[0].write {
            Write::Replace(_) => folder.replace_all(some.iter().filter_map(replaced))?,
            Write::Remove => folder.remove_all(some.iter().map(|write| write.name.as_str()))?,
            _ => some.iter().try_for_each(|it| put(folder, it, is_durable))?,
        }
    }
    Ok(())
}

/// What cannot be done together.
fn put(folder: &Folder, it: &FileWrite, is_durable: bool) -> Result<(), FolderError> {
    match &it.write {
        Write::Append(lines) => folder.append(&it.name, lines, is_durable),
        Write::Log(lines) => folder.append(&it.name, lines, false),
        Write::SetAside => folder.set_aside(&it.name, "aside"),
        Write::Replace(_) | Write::Remove => Ok(()),
    }
}

fn replaced(write: &FileWrite) -> Option<(&str, &[u8])> {
    match &write.write {
        Write::Replace(bytes) => Some((&write.name, bytes)),
        _ => None,
    }
}

/// What is done together.
fn kind(write: &FileWrite) -> (bool, bool, bool) {
    let is_replaced = matches!(write.write, Write::Replace(_));
    (write.owner == Owner::User, is_replaced, write.write == Write::Remove)
}
