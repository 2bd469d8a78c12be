"""Compares the coverage of each crate with the table of SECURITY.md, or writes the table.

coverage.py --write|--missing|'' CRATES LCOV...
coverage.py --reached CRATES LCOV...     a table of each crate, and the lines of the listed crates that are not reached
"""

import collections
import os
import re
import sys

# In percent: the part that depends on the machine, such as the order of threads. Real files increase the coverage a
# little.
SLACK = 0.3 if os.environ.get("MESHLENS_REAL") else 1.0
START, END = "<!-- coverage -->\n", "<!-- end coverage -->"


def read(paths):
    """For each file, how often each line and each branch was taken, in all programs."""
    lines = collections.defaultdict(collections.Counter)
    branches = collections.defaultdict(collections.Counter)
    for path in paths:
        for record in open(path):
            key, _, value = record.rstrip("\n").partition(":")
            if key == "SF":
                name = value[value.index("/crates/") + 1 :]
                is_test = name.endswith("/tests.rs")
            elif is_test:
                continue
            elif key == "DA":
                line, count = value.split(",")[:2]
                lines[name][int(line)] += int(count)
            elif key == "BRDA":
                *branch, taken = value.split(",")
                branches[name][tuple(branch)] += 0 if taken == "-" else int(taken)
    return lines, branches


def constants(name, counts):
    """The lines of private `const fn`s that never run: the compiler evaluates them, for tables and kernels."""
    text = open(name).read().split("\n")
    for start, line in enumerate(text):
        if found := re.match(r"( *)(pub\((crate|super)\) )?const fn ", line):
            ends = (at for at in range(start, len(text)) if text[at] == found[1] + "}")
            end = start if line.endswith("}") else next(ends, start)
            inside = range(start + 1, end + 2)
            if not any(counts[at] for at in inside if at in counts):
                yield from inside


def ranges(numbers):
    """`1, 2, 3, 7` as `1-3, 7`."""
    runs = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def reached(crates, lines):
    counts = collections.defaultdict(list)
    for name, found in lines.items():
        counts[name.split("/")[1]] += found.values()
    print("| crate | lines that run | of |\n|---|---:|---:|")
    for crate, found in sorted(counts.items()):
        print(f"| `{crate}` | {100.0 * sum(count > 0 for count in found) / len(found):.1f} % | {len(found):,} |")
    print("\n| file | lines that no input reaches |\n|---|---|")
    for name in sorted(lines):
        missing = sorted(line for line, count in lines[name].items() if count == 0)
        if name.split("/")[1] in crates and missing:
            print(f"| `{name.removeprefix('crates/')}` | {ranges(missing)} |")
    return 0


def main():
    mode, crates, *paths = sys.argv[1:]
    lines, branches = read(paths)
    for name, counts in lines.items():
        for line in list(constants(name, counts)):
            counts.pop(line, None)
    if mode == "--reached":
        return reached(crates.split(), lines)
    found = {}
    for crate in crates.split():
        for kind, counted in (("lines", lines), ("branches", branches)):
            counts = [count for name in counted if name.startswith(f"crates/{crate}/src/") for count in counted[name].values()]
            found[crate, kind] = (100.0 * sum(count > 0 for count in counts) / max(len(counts), 1), len(counts))
    if mode == "--missing":
        for name in sorted(lines):
            for kind, counts in (("lines", lines[name].items()), ("branches", ((int(at[0]), count) for at, count in branches[name].items()))):
                if missing := sorted({line for line, count in counts if count == 0}):
                    print(f"{name}: {kind} {' '.join(map(str, missing))}")
    cell = lambda crate, kind: "{:.1f} % of {:,}".format(*found[crate, kind])
    rows = [f"| `{crate}` | {cell(crate, 'lines')} | {cell(crate, 'branches')} |" for crate in crates.split()]
    table = "\n".join(["| crate | lines | branches |", "|---|---:|---:|", *rows])
    print(table)
    text = open("SECURITY.md").read()
    before, rest = text.split(START)
    written, after = rest.split(END)
    if mode == "--write":
        open("SECURITY.md", "w").write(f"{before}{START}\n{table}\n\n{END}{after}")
        return 0
    failed = False
    for crate, *floors in re.findall(r"^\| `(\w+)` \| ([\d.]+) %.*?\| ([\d.]+) %", written, re.M):
        for kind, floor in zip(("lines", "branches"), floors):
            percent, _ = found[crate, kind]
            if percent < float(floor) - SLACK:
                print(f"{crate}: {percent:.1f} % of {kind} are reached, and SECURITY.md says {floor} %")
                failed = True
    return 1 if failed else 0


sys.exit(main())
