//! Tells the program whether `weights/` has a network to build in.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_default_network)");
    println!("cargo::rerun-if-changed=weights");
    if std::path::Path::new("weights/default.bin.gz").exists() {
        println!("cargo::rustc-cfg=has_default_network");
    }
}
