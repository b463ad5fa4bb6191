//! The program under test, without the configuration of the person who runs the tests.

use std::env;
use std::process::Command;

/// Path of the program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_keima");
/// A folder without a configuration file.
const NO_CONFIGURATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// The program, to be started.
pub fn program() -> Command {
    configured(PROGRAM)
}

/// A command that starts the program in its turn.
pub fn configured(command: &str) -> Command {
    let mut command = Command::new(command);
    command.env("XDG_CONFIG_HOME", NO_CONFIGURATION);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        // The instruction set may be forced for all tests.
        if text.starts_with("KEIMA_") && text != "KEIMA_ISA" {
            command.env_remove(name);
        }
    }
    command
}
