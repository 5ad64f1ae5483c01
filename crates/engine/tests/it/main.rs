//! The use cases on real stores: what a pipeline sees when it calls the library.

mod archeflow;
mod bench;
mod block;
mod credit;
mod faults;
mod findings_data;
mod formulas;
mod geas;
mod holdout;
mod lessons;
mod packet;
mod presets;
mod regressions;
mod replay;
mod review;
mod scopes;
mod trees;
mod trust;
mod undo;
mod worked_example;
