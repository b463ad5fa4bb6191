#!/usr/bin/env python3
"""Writes THIRD-PARTY-LICENSES: the licenses of all packages that go into the program, each text once.

Needs the sources of the packages, which `cargo fetch` gets. With --check it only says whether the file is up to date.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "THIRD-PARTY-LICENSES"
# Systems whose packages are listed.
TARGETS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "aarch64-apple-darwin",
]
# Files that hold licenses, in the folder of a package.
NAMES = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
LINE = "=" * 80


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
    command += ["--all-features", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def linked(data):
    """The packages that the program is linked with: no tests, no build scripts."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    packages = {package["id"]: package for package in data["packages"]}
    found, waiting = {}, [data["resolve"]["root"]]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            kinds = [kind["kind"] for kind in dependency["dep_kinds"]]
            name = dependency["pkg"]
            is_macro = any("proc-macro" in target["kind"] for target in packages[name]["targets"])
            if None in kinds and not is_macro and name not in found:
                found[name] = packages[name]
                waiting.append(name)
    return found


def texts(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.rglob("*") if path.is_file() and NAMES.match(path.name))
    for path in files:
        yield path.read_text(encoding="utf-8", errors="replace").strip().replace("\r\n", "\n")


def main():
    packages = {}
    for target in TARGETS:
        packages.update(linked(metadata(target)))
    packages = sorted(packages.values(), key=lambda package: (package["name"], package["version"]))
    users = {}
    out = ["keima contains code of these packages:", ""]
    for package in packages:
        name = f"{package['name']} {package['version']}"
        out.append(f"{name}: {package['license'] or 'see its text'}, {package['repository'] or 'no repository'}")
        for text in texts(package):
            users.setdefault(text, []).append(name)
    out += ["", "Those whose text does not follow have it by the name of the license alone, in its standard form."]
    for text, names in users.items():
        out += ["", LINE, *sorted(set(names)), LINE, text]
    whole = "\n".join(out) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if FILE.exists() and FILE.read_text(encoding="utf-8") == whole else f"{FILE} is not up to date")
    FILE.write_text(whole, encoding="utf-8")
    without = [package["name"] for package in packages if not any(True for _ in texts(package))]
    print(f"{len(packages)} packages, {len(users)} texts; without a text of their own: {', '.join(without) or 'none'}")


main()
