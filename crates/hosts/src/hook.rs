//! How do hosts call us? Their events in their own dialects, as one event in our words.

pub mod dialect;
pub mod event;
