//! The program under test, without the configuration and the networks of the person who runs the tests.

use std::env;
use std::process::Command;

/// Path of the program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_keima");
/// A folder without a configuration file, and without networks where users have theirs.
const NOTHING_OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// The program, to be started.
pub fn program() -> Command {
    configured(PROGRAM)
}

/// A command that starts the program in its turn.
pub fn configured(command: &str) -> Command {
    let mut command = Command::new(command);
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env(name, NOTHING_OWN);
    }
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        // The instruction set may be forced for all tests.
        if text.starts_with("KEIMA_") && text != "KEIMA_ISA" {
            command.env_remove(name);
        }
    }
    command
}
