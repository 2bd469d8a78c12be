#!/bin/bash -eu
# Builds every fuzz target with its seeds and its dictionary, for ClusterFuzzLite and OSS-Fuzz.
cd "$SRC/meshlens"
# The sanitizer's flags are for the targets, not for the tool that copies seeds.
RUSTFLAGS="" cargo run -p meshlens-testkit --target-dir "$WORK/testkit" -- seeds
cargo fuzz build -O --debug-assertions
for target in $(cargo fuzz list); do
  cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  (cd "fuzz/corpus/$target" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
  dictionary=fuzz/dictionaries/$target.dict
  [ ! -f "$dictionary" ] || cp "$dictionary" "$OUT/"
done
