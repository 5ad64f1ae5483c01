//! Care: is the store sound, what went wrong lately, and what is to be done about it.

mod backup;
pub mod doctor;

pub use backup::{back_up, lacks_backup};
pub use doctor::{DoctorRequest, Progress, doctor};
