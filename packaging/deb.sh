#!/bin/sh
# Makes a Debian package: builds keima, has it write its manual pages and completions, and packs all.
# Needs cargo-deb (cargo install cargo-deb) and dpkg-dev. What goes where is in Cargo.toml, [package.metadata.deb].
set -eu
cd "$(dirname "$0")/.."
# Without it cargo-deb makes a package that depends on nothing.
command -v dpkg-shlibdeps >/dev/null || { echo "needs dpkg-shlibdeps, of the package dpkg-dev" >&2; exit 1; }
[ $# = 0 ] || { echo "usage: packaging/deb.sh" >&2; exit 2; }
# So that the same commit makes the same package, whoever builds it.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
RUSTFLAGS="${RUSTFLAGS-} --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$PWD=/keima"
export RUSTFLAGS
cargo build --release --locked
keima=${CARGO_TARGET_DIR:-target}/release/keima
made=target/deb-files
rm -rf "$made"
mkdir -p "$made/man" "$made/completions"
"$keima" man "$made/man"
gzip -9n "$made"/man/*.1
for shell in bash zsh fish; do
    "$keima" completions "$shell" > "$made/completions/$shell"
done
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
maintainer=$(sed -n 's/^maintainer = "\(.*\)"/\1/p' Cargo.toml)
# The licenses of Rust's standard library.
gzip -9nc "$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html" > "$made/COPYRIGHT-library.html.gz"
cat > "$made/changelog" <<CHANGES
keima ($version-1) unstable; urgency=low

  * Version $version; CHANGELOG.md tells what is new.

 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
CHANGES
cargo deb --no-build --locked
