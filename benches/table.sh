#!/usr/bin/env bash
# Measures on this machine, writes the results to benches/results/<machine>/, and writes the results of all machines side by
# side to benches/README.md. Takes about ten minutes. The load of the machine is written next to the results.
#
#   benches/table.sh              every table
#   benches/table.sh l2 files     these tables: l2, dram, interleave, files, memory, assets, peers
#   benches/table.sh --print      only writes README.md, from the existing results
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(l2 dram interleave files memory assets peers)
declare -A commands=(
  [l2]="--bench kernels -- --table --l2"
  [dram]="--bench kernels -- --table --dram"
  [interleave]="--bench interleave -- --table --l2"
  [files]="--bench files -- --table"
  [memory]="--bench interleave -- --table --memory"
  [assets]="--bench assets -- --table"
  [peers]="--features meshopt --bench peers -- --table"
)
# The columns that identify a row, and the columns that are shown for each machine, separated by commas.
declare -A keys=(
  [l2]="kernel,level" [dram]="kernel,level" [interleave]="vertex buffer,level" [files]="files"
  [memory]="48 MiB of positions into" [assets]="from names to models" [peers]="output in the second-level cache"
)
declare -A values=(
  [l2]="Melements/s,share" [dram]="Melements/s,share,streamed" [interleave]="Mvertices/s,share"
  [files]="ms,times the first" [memory]="ms" [assets]="ms" [peers]="Melements/s,GB/s out"
)

machine() {
  awk -F': *' '/^model name/ { name = $2 } /^model\t/ { model = $2 } END { print name " model " model }' /proc/cpuinfo |
    sed -E 's/\((R|TM)\)//g; s/ (Processor|CPU)//g; s/[^A-Za-z0-9]+/-/g; s/-+$//' | tr '[:upper:]' '[:lower:]'
}

# The load before the measurement is that of other programs.
load() {
  awk -v cores="$(nproc)" '{ print ($1 > cores / 4 ? "busy" : "quiet") ", load " $1 " on " cores " cores" }' /proc/loadavg
}

measure() {
  local part=$1 command="cargo bench -q -p meshlens-benches ${commands[$1]}" folder results before
  folder=benches/results/$(machine)
  mkdir -p "$folder"
  results=$(mktemp)
  before=$(load)
  $command >"$results"
  { printf '%s, %s\n\n`%s`\n\n' "$(date -u +%F)" "$before" "$command"; sed '/^$/N;/^\n$/D' "$results"; } >"$folder/$part.md"
  rm "$results"
}

# The table of one part, with a column for each machine and value.
side_by_side() {
  local part=$1 files=(benches/results/*/"$1".md) letter=A
  [ -f "${files[0]}" ] || return 0
  printf '`cargo bench -q -p meshlens-benches %s`\n\n' "${commands[$part]}"
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

# The levels that are more than 3 % slower than a lower one.
slower_levels() {
  local file letter=A
  for file in benches/results/*/l2.md; do
    awk -F'|' -v machine="$letter" '
      function trim(text) { gsub(/^ +| +$/, "", text); return text }
      /^\| kernel/ { for (i = 2; i < NF; i++) at[trim($i)] = i; next }
      !/^\|/ || /^\| *-/ || !("kernel" in at) { next }
      {
        kernel = trim($at["kernel"]); level = trim($at["level"]); rate = $at["Melements/s"] + 0
        if (kernel != last) { last = kernel; best = 0 }
        if (rate < 0.97 * best)
          printf "| %s | %s | %s %d | %s %d |\n", machine, kernel, level, rate, best_level, best
        if (rate > best) { best = rate; best_level = level }
      }' "$file"
    letter=$(tr 'A-Y' 'B-Z' <<<"$letter")
  done | { rows=$(cat); if [ -n "$rows" ]; then printf '| machine | kernel | level, Melements/s | lower level |\n| --- | --- | ---: | ---: |\n%s\n\n' "$rows"; else printf 'None.\n\n'; fi; }
}

# Replaces the text between the markers of a part.
into_readme() {
  local part=$1 text
  text=$(mktemp)
  { echo; cat; } >"$text"
  sed -i -e "/<!-- $part -->/,/<!-- end $part -->/{/<!-- /!d}" -e "/<!-- $part -->/r $text" benches/README.md
  rm "$text"
}

if [ "${1:-}" != --print ]; then
  for part in "${@:-${parts[@]}}"; do
    for one in $part; do measure "$one"; done
  done
fi
for part in "${parts[@]}"; do side_by_side "$part" | into_readme "$part"; done
slower_levels | into_readme slower
