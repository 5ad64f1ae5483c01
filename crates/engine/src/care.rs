//! Care: is the store sound, what went wrong lately, and what is to be done about it.

pub(crate) mod doctor;
pub mod problems;

pub use doctor::agents::doctor_agents;
pub use doctor::{DoctorRequest, Progress, doctor};
