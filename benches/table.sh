#!/usr/bin/env bash
# Measures what the tables of benches/README.md hold and puts the results between its markers. Takes about five minutes;
# on a busy machine nothing it prints means much. An argument (l2, dram, files, interleave, memory) renews that part alone.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A commands=(
  [l2]="--bench kernels -- --table --l2"
  [dram]="--bench kernels -- --table --dram"
  [files]="--bench files -- --table"
  [interleave]="--bench interleave -- --table --l2"
  [memory]="--bench interleave -- --table --memory"
)
renew() {
  local part=$1 command="cargo bench -q -p meshlens-benches ${commands[$1]}" results
  results=$(mktemp)
  {
    printf '%s\n\n`%s`\n\n' "$(date -u +%F)" "$command"
    $command | sed '/^$/N;/^\n$/D'
  } >"$results"
  # What lies between the markers of the part is replaced, the markers stay.
  sed -i -e "/<!-- $part -->/,/<!-- end $part -->/{/<!-- /!d}" -e "/<!-- $part -->/r $results" benches/README.md
  rm "$results"
}

for part in "${@:-l2 dram files interleave memory}"; do
  for one in $part; do renew "$one"; done
done
