// Checks a report of `meshlens inspect --html` in headless Chromium. Called by .ci/report.
// usage: NODE_PATH=NODE_MODULES node report.mjs REPORT
import { createRequire } from "node:module";
import { resolve } from "node:path";
import assert from "node:assert/strict";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const report = `file://${resolve(process.argv[2])}`;
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const faults = [];

// Opens the page in a window, with or without scripts.
async function open(width, height, javaScriptEnabled) {
  const context = await browser.newContext({ viewport: { width, height }, javaScriptEnabled });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url() !== report && !request.url().startsWith("data:")) faults.push(`request: ${request.url()}`);
  });
  await page.goto(report);
  return page;
}
const visible = (page, selector) => page.locator(selector).filter({ visible: true });

try {
  for (const [width, height] of [[1280, 900], [800, 900], [390, 780]]) {
    for (const hasScripts of [true, false]) {
      const page = await open(width, height, hasScripts);
      const at = `at ${width} pixels${hasScripts ? "" : ", without scripts"}`;
      const rows = await page.locator("#models tbody tr").count();
      for (const view of ["table", "gallery"]) {
        await page.locator(`#${view}`).check();
        const size = await page.evaluate(() => {
          const { scrollWidth, scrollHeight } = document.documentElement;
          return { scrollWidth, scrollHeight };
        });
        assert.equal(size.scrollWidth, width, `${view} ${at}: it is wider than the window`);
        const most = { table: width > 1000 ? 60 : 200, gallery: 400 }[view];
        assert(size.scrollHeight < 2000 + rows * most, `${view} ${at}: ${size.scrollHeight} pixels for ${rows} rows`);
        assert.equal(await visible(page, "#models tbody tr").count(), rows, at);
        // Cells do not overlap.
        const clash = await page.evaluate(() => {
          const cells = [...document.querySelectorAll("#models tbody td")].filter((cell) => cell.offsetParent);
          return cells.find((cell) => cell.scrollWidth > cell.clientWidth + 1 && cell.clientWidth > 0)?.outerHTML.slice(0, 200);
        });
        assert.equal(clash, undefined, `${view} ${at}: a cell overflows`);
      }
      const picture = await page.locator("#models img").first().boundingBox();
      assert(picture.width >= 140, `${at}: a picture in the gallery is ${picture.width} pixels wide`);
      // A severity can be selected without scripts.
      await page.locator("#table").check();
      await page.locator("#error").check();
      const names = await visible(page, "#models tbody tr").locator("b").allTextContents();
      assert(names.includes("broken.md3") && names.length < rows / 2, `${at}: ${names}`);
      await page.locator("#all").check();
      // Findings are collapsed, and can be expanded without scripts.
      const folded = page.locator("#models tbody td[data-name=findings] details").first();
      assert.equal(await folded.locator("p").first().isVisible(), false);
      await folded.locator("summary").click();
      assert.equal(await folded.locator("p").first().isVisible(), true);
      await page.context().close();
    }
  }

  const page = await open(1280, 900, true);
  const shown = () => visible(page, "#models tbody tr").locator("b").allTextContents();
  const sum = (name) => page.locator(`#models tfoot [data-name=${name}]`).textContent();
  const all = (await shown()).length;
  assert.equal(await page.locator("#count").textContent(), `${all} of ${all}`);
  await page.locator("#words").fill("MD3/Static.md3");
  assert.deepEqual(await shown(), ["static.md3"]);
  assert.deepEqual([await sum("vertices"), await sum("bytes")], ["72", "1,924"]);
  assert.equal(await page.locator("#count").textContent(), `1 of ${all}`);
  await page.locator("#words").fill("");
  // Numbers are sorted numerically, first in descending order, then in ascending order.
  const values = async () =>
    (await page.locator("#models tbody [data-name=bytes]").allTextContents()).map((text) => Number(text.replaceAll(",", "") || -1));
  for (const direction of [-1, 1]) {
    await page.locator("th[data-name=bytes] button").click();
    const sorted = await values();
    assert.deepEqual(sorted, [...sorted].sort((a, b) => direction * (a - b)));
  }
  // Findings are sorted by severity, with broken files first.
  await page.locator("th[data-name=findings] button").click();
  const kinds = await page.locator("#models tbody tr").evaluateAll((rows) => rows.map((row) => row.dataset.has.split(" ")[0]));
  const order = ["error", "warning", "info", "hint"];
  const ranks = kinds.filter((kind) => order.includes(kind)).map((kind) => order.indexOf(kind));
  assert.deepEqual(ranks, [...ranks].sort());
  assert.equal(ranks[0], 0);
  // Clicking on a code in the totals filters by this code.
  await page.locator("#totals summary").click();
  const code = page.locator("#codes tbody tr").first();
  await code.locator("button").click();
  assert.equal((await shown()).length, Number(await code.locator("td").nth(2).textContent()));
  assert.deepEqual(faults, []);
  console.log(`Chromium ${browser.version()}: a report of ${all} files in three windows`);
} finally {
  await browser.close();
}
