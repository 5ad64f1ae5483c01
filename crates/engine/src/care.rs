//! Care: is the store sound, what went wrong lately, and what is to be done about it.

pub mod doctor;

pub use doctor::{DoctorRequest, Progress, doctor};
