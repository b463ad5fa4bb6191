//! Tells the program which networks of `weights/` are there to be built in.

fn main() {
    println!("cargo::rerun-if-changed=weights");
    for name in ["default", "small"] {
        println!("cargo::rustc-check-cfg=cfg(has_{name}_network)");
        if std::path::Path::new(&format!("weights/{name}.bin.gz")).exists() {
            println!("cargo::rustc-cfg=has_{name}_network");
        }
    }
}
