//! Turns the policy files into JSON while building: they are written for people in TOML,
//! whose parser would take a tenth of the time of a whole `inject`.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let policies = Path::new("policies");
    println!("cargo::rerun-if-changed={}", policies.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder"));
    for entry in fs::read_dir(policies).expect("the policies are part of the sources") {
        let path = entry.expect("a folder can be listed").path();
        let text = fs::read_to_string(&path).expect("a policy can be read");
        let table: toml::Table = text.parse().expect("a policy is TOML");
        let json = serde_json::to_string(&table).expect("a policy has only plain values");
        let name = path.with_extension("json");
        let name = name.file_name().expect("a file has a name");
        fs::write(out.join(name), json).expect("the folder of the build can be written");
    }
}
