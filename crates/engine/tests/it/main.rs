//! The use cases on real stores: what a pipeline sees when it calls the library.

mod atif;

mod backtest;
mod block;
mod chain;
mod credit;
mod doctor;
mod doubt;
mod erase;
mod evidence;
mod faults;
mod findings_data;
mod fixed;
mod formulas;
mod geas;
mod harness;
mod holdout;
mod lessons;
mod packet;
mod presets;
mod projects;
mod reflect;
mod regressions;
mod repairs;
mod replay;
mod review;
mod rules;
mod said;
mod scopes;
mod seeds;
mod transfer;
mod trees;
mod trust;
mod undo;
mod wishes;
mod worked_example;
