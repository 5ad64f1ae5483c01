//! Tables and properties of the pure core, through its public face.

mod change;
mod conflict;
mod credit;
mod eligible;
mod find;
mod fresh;
mod joint;
mod lifecycle;
mod lift;
mod one_or_two;
mod rank;
mod samples;
mod search;
