//! Tables and properties of the pure core, through its public face.

mod change;
mod find;
mod lifecycle;
mod rank;
mod samples;
