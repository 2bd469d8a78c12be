"use strict";
// Filters and sorts the rows. Everything else works without scripts.
const table = document.getElementById("models");
const body = table.tBodies[0];
const rows = [...body.rows];
const heads = [...table.tHead.querySelectorAll("th")];
const words = document.getElementById("words");
const select = document.getElementById("sort");
const number = new Intl.NumberFormat("en");
document.documentElement.classList.add("scripted");

const numeric = (cell) => Number(cell.textContent.replaceAll(",", "") || "NaN");
// The value of a cell: numbers for counts and findings, which sort by severity, and text.
function key(head, cell) {
  if (cell.dataset.key) return cell.dataset.key.split(" ").map(Number);
  if (!head.classList.contains("n")) return cell.textContent;
  const value = numeric(cell);
  return Number.isNaN(value) ? [-1] : [value];
}
function compare(a, b) {
  if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
  const index = a.findIndex((value, index) => value !== b[index]);
  return index < 0 ? 0 : a[index] - b[index];
}
function sort(index, direction) {
  const keyed = rows.map((row) => [key(heads[index], row.cells[index]), row]);
  keyed.sort(([a], [b]) => direction * compare(a, b));
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[index].setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  body.append(...keyed.map(([, row]) => row));
  select.value = index;
}
for (const [index, head] of heads.entries()) {
  if (!head.querySelector("button")) continue;
  // The largest numbers and the worst findings first.
  const first = head.classList.contains("n") || head.dataset.name === "findings" ? -1 : 1;
  head.firstChild.addEventListener("click", () => {
    const current = head.getAttribute("aria-sort");
    sort(index, current ? (current === "ascending" ? -1 : 1) : first);
  });
  select.add(new Option(head.textContent, index));
  if (head.dataset.name === "file") select.value = index;
  head.first = first;
}
select.addEventListener("change", () => sort(Number(select.value), heads[select.value].first));

// The totals of the rows that are shown.
const sums = [...table.tFoot.rows[0].cells];
const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
// Whether a row has findings of a severity, or none.
function is(row, kind) {
  const { has } = row.dataset;
  return kind === "all" || (kind === "none" ? has === "" : has.split(" ").includes(kind));
}
function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const show = document.querySelector("[name=show]:checked").value;
  const shown = rows.filter((row) => {
    row.hidden = !wanted.every((word) => texts.get(row).includes(word));
    return !row.hidden && is(row, show);
  });
  for (const [index, cell] of sums.entries()) {
    if (!cell.classList.contains("n")) continue;
    const values = shown.map((row) => numeric(row.cells[index])).filter((value) => !Number.isNaN(value));
    cell.textContent = number.format(values.reduce((sum, value) => sum + value, 0));
  }
  document.getElementById("count").textContent = `${number.format(shown.length)} of ${number.format(rows.length)}`;
}
words.addEventListener("input", filter);
for (const radio of document.querySelectorAll("[name=show]")) {
  radio.addEventListener("change", filter);
  const count = rows.filter((row) => is(row, radio.value)).length;
  if (radio.value !== "all") radio.parentNode.append(` (${number.format(count)})`);
}
document.getElementById("tools").addEventListener("submit", (event) => event.preventDefault());

// A code in the totals filters by it.
for (const cell of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.textContent = cell.textContent;
  button.addEventListener("click", () => {
    document.getElementById("all").checked = true;
    words.value = button.textContent;
    filter();
    words.focus();
  });
  cell.replaceChildren(button);
}

const fold = document.getElementById("fold");
fold.addEventListener("click", () => {
  const opens = fold.getAttribute("aria-pressed") !== "true";
  fold.setAttribute("aria-pressed", opens);
  body.querySelectorAll("[data-name=findings] details").forEach((details) => (details.open = opens));
});
// A browser keeps what was typed when the page is loaded again.
filter();
