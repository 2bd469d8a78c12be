#!/usr/bin/env bash
# Makes the pictures of the README from corpus/gallery. They are the same on every machine, except that of the viewer, which
# is only made if there is a display.
# usage: docs/pictures.sh
set -euo pipefail
cd "$(dirname "$0")/.."
meshlens() { cargo run -q --release -p meshlens-cli -- -q thumb --force "$@"; }
meshlens corpus/gallery/walker.md3 --sheet 8x1 --size 112 -o docs/pictures/walker.png
meshlens corpus/gallery/flag_d.3d --sheet 8x1 --size 112 -o docs/pictures/flag.png
meshlens corpus/gallery/crate.mesh --size 224 -o docs/pictures/crate.png
cargo run -q --release -p meshlens-carriers --example skeletons -- --pictures docs/pictures corpus/gallery/walker.md3 >/dev/null
if [ -n "${DISPLAY:-}" ]; then
  cargo run -q --release --manifest-path crates/viewer/app/Cargo.toml -- --theme dark --size 960x600 --frame 3 \
    --show skeleton --screenshot docs/pictures/viewer.png corpus/gallery/walker.mesh corpus/gallery
fi
