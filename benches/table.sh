#!/usr/bin/env bash
# Measures on this machine, writes the results to benches/results/<machine>/, and writes the results of all machines side by
# side to benches/README.md. Takes about ten minutes. The load of the machine is written next to the results.
#
#   benches/table.sh              every table
#   benches/table.sh l2 files     these tables: scenes, l2 (with indices), dram, interleave, interleave_dram,
#                                 files, decoders, memory, assets, peers, capi; and simd128, which is l2 in WebAssembly
#   benches/table.sh --pinned l2  with real-time priority, and on one core unless a table uses all of them, for a machine that
#                                 does other work. Needs root. The results say it
#   benches/table.sh --print      only writes README.md, from the existing results
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(scenes l2 dram interleave interleave_dram files decoders memory assets peers capi)
declare -A commands=(
  [scenes]="--bench scenes -- --table"
  [l2]="--bench kernels -- --table --l2"
  [dram]="--bench kernels -- --table --dram"
  [interleave]="--bench interleave -- --table --l2"
  [interleave_dram]="--bench interleave -- --table --dram"
  [files]="--bench files -- --table"
  [memory]="--bench interleave -- --table --memory"
  [assets]="--bench assets -- --table"
  [peers]="--features meshopt --bench peers -- --table"
  [capi]="--bench capi -- --table"
)
full_command() { if [ "$1" = decoders ]; then echo benches/decoders --table; elif [ "$1" = simd128 ]; then echo benches/simd128; else echo "cargo bench -q -p meshlens-benches ${commands[$1]}"; fi; }
# Tables that are among the results of another part.
declare -A within=([indices]=l2)
# The columns that identify a row, and the columns that are shown for each machine, separated by commas.
declare -A keys=(
  [scenes]="scene,vertex buffer"
  [l2]="kernel,level" [dram]="kernel,level" [interleave]="vertex buffer,level"
  [interleave_dram]="vertex buffer,level" [files]="files" [decoders]="decoder"
  [memory]="48 MiB of positions into" [assets]="from names to models" [peers]="output in the second-level cache"
  [indices]="indices,level" [capi]="call"
)
declare -A values=(
  [scenes]="ns a vertex,share,times without"
  [l2]="Melements/s,share" [dram]="Melements/s,share,streamed" [interleave]="Mvertices/s,share"
  [interleave_dram]="Mvertices/s,share,past the cache"
  [files]="ms,times the first" [decoders]="files,ms,meshlens ms,times" [memory]="ms" [assets]="ms" [peers]="Melements/s,GB/s out"
  [indices]="Mindices/s,share" [capi]="C ns,Rust ns,difference ns"
)

machine() {
  awk -F': *' '/^model name/ { name = $2 } /^model\t/ { model = $2 } END { print name " model " model }' /proc/cpuinfo |
    sed -E 's/\((R|TM)\)//g; s/ (Processor|CPU)//g; s/[^A-Za-z0-9]+/-/g; s/-+$//' | tr '[:upper:]' '[:lower:]'
}

# The load before the measurement is that of other programs.
load() {
  awk -v cores="$(nproc)" '{ print ($1 > cores / 4 ? "busy" : "quiet") ", load " $1 " on " cores " cores" }' /proc/loadavg
}

# The previous measurement is load, too: waits for it to end, for two minutes at most.
come_to_rest() {
  for ((waited = 0; waited < 24; waited++)); do
    if load | grep -q quiet; then return; fi
    sleep 5
  done
}

measure() {
  local part=$1 command folder results before
  command=$(full_command "$part")
  folder=benches/results/$(machine)
  local file=$part
  if [ "$part" = simd128 ]; then folder+=-node file=l2; fi
  mkdir -p "$folder"
  results=$(mktemp)
  come_to_rest
  before=$(load)
  if [ -n "$pinned" ] && [ "$part" != decoders ] && [ "$part" != simd128 ]; then
    # The build has the usual priority.
    local build=${command%% -- *} how=$pinned program
    # Some of their rows use every core.
    case $part in files | assets) how=${pinned%% taskset*} ;; esac
    program=$($build --no-run --message-format json | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
    before="$before, measured with real-time priority (\`$how\`)"
    (cd benches && $how "$program" --bench ${command##* -- }) >"$results"
  else
    $command >"$results"
  fi
  { printf '%s, %s\n\n`%s`\n\n' "$(date -u +%F)" "$before" "$command"; sed '/^$/N;/^\n$/D' "$results"; } >"$folder/$file.md"
  rm "$results"
}

# The table of one part, with a column for each machine and value.
side_by_side() {
  local part=$1 results=${within[$1]:-$1} letter=A
  local files
  mapfile -t files < <(grep -l -s -F "| ${keys[$part]%%,*} " benches/results/*/"$results".md)
  [ -n "${files[*]}" ] || return 0
  printf '`%s`\n\n' "$(full_command "$results")"
  for file in "${files[@]}"; do
    printf -- '- **%s**: %s; %s\n' "$letter" "$(grep -m1 -E ', levels ' "$file")" "$(head -n 1 "$file")"
    letter=$(tr 'A-Y' 'B-Z' <<<"$letter")
  done
  echo
  # The rows come in the order of the file that has the most of them, which is read twice.
  local longest
  longest=$(wc -l "${files[@]}" | grep -v ' total$' | sort -n | tail -n 1 | sed -E 's/^ *[0-9]+ //')
  awk -F'|' -v keys="${keys[$part]}" -v values="${values[$part]}" '
    function trim(text) { gsub(/^ +| +$/, "", text); return text }
    BEGIN { key_count = split(keys, key, ","); value_count = split(values, value, ","); machine = -1 }
    FNR == 1 { machine++; letter[machine] = substr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", machine, 1) }
    !/^\|/ { header = 0; next }
    !header { header = 1; delete at; for (i = 2; i < NF; i++) at[trim($i)] = i; known = (key[1] in at); next }
    /^\| *:?-/ || !known { next }
    {
      name = ""
      for (i = 1; i <= key_count; i++) name = name "| " trim($at[key[i]]) " "
      if (!(name in seen)) { seen[name] = 1; order[++rows] = name }
      for (i = 1; i <= value_count; i++)
        if (machine && value[i] in at) { cell[name, machine, i] = trim($at[value[i]]); has[machine, i] = 1 }
    }
    END {
      for (i = 1; i <= key_count; i++) { head = head "| " key[i] " "; line = line "| --- " }
      for (m = 1; m <= machine; m++) for (i = 1; i <= value_count; i++) if (has[m, i]) {
        head = head "| " letter[m] ": " value[i] " "; line = line "| ---: "
      }
      print head "|"; print line "|"
      for (r = 1; r <= rows; r++) {
        row = order[r]
        for (m = 1; m <= machine; m++) for (i = 1; i <= value_count; i++) if (has[m, i]) row = row "| " cell[order[r], m, i] " "
        print row "|"
      }
    }' "$longest" "${files[@]}"
  echo
}

# The levels that are slower than a lower one, as the benches printed them. Results from before the changes to the kernels
# are left out.
slower_levels() {
  local file letter
  for part in l2 interleave; do
    letter=A
    for file in benches/results/*/"$part".md; do
      if ! head -n 1 "$file" | grep -q 'before the changes'; then
        sed -n "/^Levels that are slower/,\$s/^- \(.*\): \(.*\), \(.*\)\$/| $letter | \1 | \2 | \3 |/p" "$file"
      fi
      letter=$(tr 'A-Y' 'B-Z' <<<"$letter")
    done
  done | { rows=$(cat); if [ -n "$rows" ]; then printf '| machine | kernel | level | lower level |\n| --- | --- | ---: | ---: |\n%s\n\n' "$rows"; else printf 'None.\n\n'; fi; }
}

# Replaces the text between the markers of a part.
into_readme() {
  local part=$1 text
  text=$(mktemp)
  { echo; cat; } >"$text"
  sed -i -e "/<!-- $part -->/,/<!-- end $part -->/{/<!-- /!d}" -e "/<!-- $part -->/r $text" benches/README.md
  rm "$text"
}

pinned=
if [ "${1:-}" = --pinned ]; then
  pinned="chrt -f 50 taskset -c $(($(nproc) - 1))"
  shift
fi
if [ "${1:-}" != --print ]; then
  for part in "${@:-${parts[@]}}"; do
    for one in $part; do measure "$one"; done
  done
fi
for part in "${parts[@]}" "${!within[@]}"; do side_by_side "$part" | into_readme "$part"; done
slower_levels | into_readme slower
