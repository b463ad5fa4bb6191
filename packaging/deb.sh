#!/bin/sh
# Makes a Debian package: builds keima, has it write its manual pages and completions, and packs all.
# Needs cargo-deb (cargo install cargo-deb). What goes where is in Cargo.toml, [package.metadata.deb].
set -eu
cd "$(dirname "$0")/.."
cargo build --release --locked
made=target/package
rm -rf "$made"
mkdir -p "$made/man" "$made/completions"
target/release/keima man "$made/man"
gzip -9n "$made"/man/*.1
for shell in bash zsh fish; do
    target/release/keima completions "$shell" > "$made/completions/$shell"
done
cargo deb --no-build --locked "$@"
