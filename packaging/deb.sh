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
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
maintainer=$(sed -n 's/^maintainer = "\(.*\)"/\1/p' Cargo.toml)
cat > "$made/changelog" <<CHANGES
keima ($version-1) unstable; urgency=low

  * Version $version; NEWS.md tells what is new.

 -- $maintainer  $(date -R)
CHANGES
cargo deb --no-build --locked "$@"
