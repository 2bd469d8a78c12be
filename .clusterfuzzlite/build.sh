#!/bin/bash -eu
# Builds every fuzz target with its seeds, its dictionary and its options, for ClusterFuzzLite and OSS-Fuzz: from $SRC/meshlens
# to $OUT, with temporary files in $WORK. `.ci/fuzz` runs it outside of their images. Arguments choose targets.
cd "$SRC/meshlens"
# The flags of the sanitizer are for the targets, not for the tool that copies seeds.
RUSTFLAGS="" CFLAGS="" CXXFLAGS="" cargo run -q -p meshlens-testkit --target-dir "$WORK" -- seeds
cp -r fuzz/doors/seeds/. fuzz/corpus/
for folder in fuzz fuzz/doors; do
  targets=$(cargo fuzz list --fuzz-dir "$folder")
  if [ $# = 0 ]; then
    cargo fuzz build --fuzz-dir "$folder" -O --debug-assertions
  else
    targets=$(grep -xF "$(printf '%s\n' "$@")" <<<"$targets") || continue
    xargs -n1 cargo fuzz build --fuzz-dir "$folder" -O --debug-assertions <<<"$targets"
  fi
  binaries=${CARGO_TARGET_DIR:-$folder/target}/$(rustc -vV | sed -n 's/^host: //p')/release
  for target in $targets; do
    cp "$binaries/$target" "$OUT/"
    (cd "fuzz/corpus/$target" && zip -q -r - .) >"$OUT/${target}_seed_corpus.zip"
    # `md3_walk` reads the same files as `md3`.
    dictionary=fuzz/dictionaries/${target%_walk}.dict
    [ ! -f "$dictionary" ] || cp "$dictionary" "$OUT/$target.dict"
    # An input that takes more time or memory is a finding.
    printf '[libfuzzer]\ntimeout = 25\nrss_limit_mb = 4096\n' >"$OUT/$target.options"
  done
done
