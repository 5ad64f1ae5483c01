//! Care: is the store sound, what went wrong lately, and what is to be done about it.

mod copy_store;
pub mod doctor;

pub use copy_store::{copy_store, keep_copy, migrate, record_shown, refresh};
pub use doctor::{DoctorRequest, Progress, back_up, doctor, lacks_backup};
