// The viewer for browsers, in headless Chromium: models are dropped into it like by a user. Called by .ci/view-web.
// usage: NODE_PATH=NODE_MODULES node web.mjs SITE THUMBS CORPUS REAL_THUMBS [MODEL]...: what web/build wrote, the pictures of
// `meshlens thumb CORPUS -o THUMBS --background none`, the models, and the picture REAL_THUMBS/N.png of each further model.
import { createServer } from "node:http";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [folder, thumbs, corpus, realThumbs, ...real] = process.argv.slice(2).map((path) => resolve(path));
// Small, because drawing without a GPU takes most of the time.
const SIZE = { width: 1000, height: 640 };
const NARROW = { width: 390, height: 780 };
// The part of the window between the panels.
const PICTURE = { x: 246, y: 80, width: 418, height: 470 };
// The smallest overlap of two outlines, and the largest difference of their mean colors. Some real models are thin and
// displayed with a different field of view, some are translucent, and some have no front faces toward the camera, like
// a sky.
const CORPUS = { overlap: 0.85, tint: 64, mayHide: false };
const REAL = { overlap: 0.5, tint: 48, mayHide: true };

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const server = createServer((request, response) => {
  const name = basename(new URL(request.url, "http://localhost").pathname) || "index.html";
  const path = join(folder, name);
  if (!existsSync(path)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[name.slice(name.lastIndexOf("."))] }).end(readFileSync(path));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const origin = `http://127.0.0.1:${server.address().port}`;

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const browser = await chromium.launch({ executablePath, args });
const context = await browser.newContext({ viewport: SIZE, colorScheme: "dark" });
const page = await context.newPage();
const faults = [];
page.on("console", (message) => {
  if (message.type() === "error") faults.push(`console: ${message.text()}`);
});
page.on("pageerror", (error) => faults.push(`page: ${error}`));
page.on("dialog", (dialog) => {
  faults.push(`dialog: ${dialog.message()}`);
  dialog.dismiss();
});
page.on("request", (request) => {
  if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) faults.push(`request: ${request.url()}`);
});
const session = await context.newCDPSession(page);

const status = () => page.locator("#status").textContent();
// Whether a status is an error. A name may contain the word.
const isError = (text) => /: error: |, error: /.test(text);
// Waits until the status satisfies a test, and returns it.
async function until(what, test) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const text = await status();
    if (test(text)) return text;
    await page.waitForTimeout(100);
  }
  throw new Error(`${what}: the status is ${JSON.stringify(await status())}; ${faults.join("; ")}`);
}
async function drop(...files) {
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: 600, y: 400, data });
  }
}
// The picture after the interface has stopped changing.
async function shoot(clip = PICTURE) {
  await page.waitForTimeout(250);
  return (await page.screenshot({ clip, timeout: 120_000 })).toString("base64");
}

// Pictures are compared in a separate page, which has a decoder.
const scale = await (await browser.newContext()).newPage();
await scale.evaluate(() => {
  globalThis.decode = async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
});
// The overlap of the outlines of two pictures, each scaled to its bounding box. In `a`, the model is where the color
// differs from the corner. In `b`, it is where the picture is not transparent.
const compare = (a, b) =>
  scale.evaluate(async ([a, b]) => {
    const outline = ({ data, width, height }, isModel) => {
      const box = [width, height, -1, -1];
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          if (!isModel(data, (y * width + x) * 4)) continue;
          box[0] = Math.min(box[0], x);
          box[1] = Math.min(box[1], y);
          box[2] = Math.max(box[2], x);
          box[3] = Math.max(box[3], y);
        }
      }
      if (box[2] < 0) return null;
      const SIDE = 96;
      const size = [box[2] - box[0] + 1, box[3] - box[1] + 1];
      const cells = [];
      for (let y = 0; y < SIDE; y += 1) {
        for (let x = 0; x < SIDE; x += 1) {
          const at = [box[0] + Math.floor(((x + 0.5) * size[0]) / SIDE), box[1] + Math.floor(((y + 0.5) * size[1]) / SIDE)];
          const pixel = (at[1] * width + at[0]) * 4;
          cells.push(isModel(data, pixel) ? [data[pixel], data[pixel + 1], data[pixel + 2]] : null);
        }
      }
      return { size, cells };
    };
    const [first, second] = [await decode(a), await decode(b)];
    const corner = [...first.data.slice(0, 3)];
    const differs = (data, at) => corner.some((value, channel) => Math.abs(data[at + channel] - value) > 10);
    const [seen, wanted] = [outline(first, differs), outline(second, (data, at) => data[at + 3] > 127)];
    if (!seen || !wanted) return { isSeen: !!seen, isWanted: !!wanted };
    let [both, either, sums] = [0, 0, [0, 0, 0]];
    seen.cells.forEach((cell, index) => {
      const other = wanted.cells[index];
      both += cell && other ? 1 : 0;
      either += cell || other ? 1 : 0;
      if (cell && other) cell.forEach((value, channel) => (sums[channel] += value - other[channel]));
    });
    const aspect = (seen.size[0] * wanted.size[1]) / (seen.size[1] * wanted.size[0]);
    return { isSeen: true, isWanted: true, overlap: both / either, aspect, tint: sums.map((sum) => sum / Math.max(both, 1)) };
  }, [a, b]);

// Compares the displayed model with a picture of thumb. Returns whether they agree; `null` if the model is invisible
// and may be, because thumb also draws the backs of faces.
async function agrees(text, thumb, { overlap, tint, mayHide }) {
  const found = await compare(await shoot(), readFileSync(thumb).toString("base64"));
  if (process.env.VERBOSE) console.log(text, JSON.stringify(found));
  if (!found.isWanted) return false;
  if (!found.isSeen && mayHide) return null;
  assert(found.isSeen, `${text}: nothing is seen`);
  assert(found.overlap > overlap, `${text}: outlines overlap by ${found.overlap}`);
  assert(Math.abs(Math.log(found.aspect)) < 0.2, `${text}: the sides differ by ${found.aspect}`);
  // Both are lit, but in different ways.
  assert(found.tint.every((channel) => Math.abs(channel) < tint), `${text}: the colors differ by ${found.tint}`);
  return true;
}

// Whether each visible row of the list has a picture.
async function listPictures() {
  const clip = { x: 0, y: 0, width: 60, height: SIZE.height };
  return scale.evaluate(async (data) => {
    const { data: pixels, width } = await decode(data);
    // A row is 43 points high with its gap, and the first begins below the filter. The picture is 36 points wide.
    const drawn = [];
    for (let top = 130; top + 43 < 540; top += 43) {
      const colors = new Set();
      for (let y = top; y < top + 36; y += 1) {
        for (let at = (y * width + 14) * 4; at < (y * width + 48) * 4; at += 4) colors.add(pixels.slice(at, at + 3).join());
      }
      drawn.push(colors.size > 8);
    }
    return drawn;
  }, await shoot(clip));
}

// The number of rows of pixels of the picture of a model without ground, according to the color of its background at
// the left edge, and the width of the page.
async function picture() {
  const clip = { x: 0, y: 0, ...NARROW };
  return scale.evaluate(async (data) => {
    const { data: pixels, width } = await decode(data);
    let rows = 0;
    // The background of the dark theme (crates/viewer/app/src/canvas.rs).
    for (let at = 4 * 4; at < pixels.length; at += width * 4) {
      rows += [38, 42, 49].every((value, channel) => Math.abs(pixels[at + channel] - value) < 3) ? 1 : 0;
    }
    return rows;
  }, await shoot(clip)).then(async (rows) => [rows, await page.evaluate(() => document.documentElement.scrollWidth)]);
}

// Saves pictures of the page for inspection, in the folder SCREENSHOTS.
let shots = 0;
async function keep(name) {
  if (!process.env.SCREENSHOTS) return;
  shots += 1;
  await page.screenshot({ path: join(process.env.SCREENSHOTS, `${String(shots).padStart(3, "0")}-${name}.png`) });
}

const temporary = mkdtempSync(join(tmpdir(), "meshlens-view-"));
try {
  await page.goto(origin);
  await until("start", (text) => text === "no model");
  const empty = await shoot();
  await keep("empty");

  // All models of the corpus, which are dropped as a folder.
  await drop(corpus);
  await until("the corpus", (text) => / vertices|error/.test(text));
  // Without the ground, only the model differs from the background.
  await page.keyboard.press("g");
  const pictures = new Map();
  for (const entry of readdirSync(thumbs, { recursive: true })) {
    if (entry.endsWith(".png")) pictures.set(entry.slice(0, -4), join(thumbs, entry));
  }
  const first = await status();
  const seen = new Set();
  let compared = 0;
  for (let text = first; !seen.has(text); ) {
    seen.add(text);
    const name = text.slice(0, text.search(/: (error|\d+ vertices)/));
    const [stem, extension] = [name.replace(/^[^/]*corpus\//, "").replace(/\.[^.]*$/, ""), name.slice(name.lastIndexOf("."))];
    const bare = stem.replace(/_d$/, "");
    const thumb = [stem + extension, stem, bare + extension, bare].map((key) => pictures.get(key)).find(Boolean);
    if (thumb && / [1-9]\d* triangles/.test(text) && !isError(text)) {
      if (await agrees(text, thumb, CORPUS)) compared += 1;
    } else if (process.env.VERBOSE) {
      console.log(text, thumb ?? "no picture");
    }
    await page.keyboard.press("PageDown");
    const before = text;
    text = await until("the next model", (now) => now !== before);
  }
  assert(seen.size > 60, `${seen.size} models`);
  assert(compared > 40, `${compared} pictures`);

  // The list draws its pictures, so there is more than one color at the place of each picture in a row.
  for (let attempt = 0; ; attempt += 1) {
    const drawn = await listPictures();
    if (drawn.length >= 5 && drawn.every(Boolean)) break;
    assert(attempt < 300, `pictures of the list: ${drawn}`);
    await page.waitForTimeout(200);
  }

  // In a narrow window, the lists are initially closed, and the model takes at least a third of the window.
  await drop(join(corpus, "gallery/crate.md3"));
  await until("crate.md3", (text) => text.startsWith("crate.md3: "));
  await page.setViewportSize(NARROW);
  await page.waitForTimeout(1000);
  await keep("narrow");
  const [rows, width] = await picture();
  assert.equal(width, NARROW.width, "the page is wider than the window");
  assert(rows > NARROW.height / 3, `the picture is ${rows} pixels high`);
  await page.setViewportSize(SIZE);
  await page.waitForTimeout(1000);

  // A clip changes the picture.
  await drop(join(corpus, "gallery/walker.md3"));
  await until("walker.md3", (text) => text.startsWith("walker.md3: "));
  const still = await shoot();
  await keep("walker");
  assert.notEqual(still, empty);
  assert.equal(await shoot(), still);
  await page.keyboard.press("Space");
  await page.waitForTimeout(400);
  const playing = [await shoot(), await shoot()];
  assert(playing.some((picture) => picture !== still), "the clip does not play");
  await page.keyboard.press("Space");

  // Markup and control characters in names are displayed as text.
  const names = ["<img src=x onerror=alert(1)>.md3", "a\n\u202eb\u0007.md3", "%3Cscript%3E.md3", "' onload='alert(1).md3"];
  for (const name of names) copyFileSync(join(corpus, "md3/static.md3"), join(temporary, name));
  writeFileSync(join(temporary, "broken.md3"), "IDP3\x0f\0\0\0<script>");
  for (const name of [...names, "broken.md3"]) {
    const before = await status();
    await drop(join(temporary, name));
    const text = await until(name, (text) => text !== before);
    assert(!/[\u0000-\u001f\u202e]/.test(text), JSON.stringify(text));
    assert.equal(isError(text), name === "broken.md3", text);
  }
  // The viewer continues after a broken file.
  await drop(join(corpus, "md3/tagged.md3"));
  await until("tagged.md3", (text) => text.startsWith("tagged.md3: 72 vertices, 36 triangles, 3 frames"));
  assert.deepEqual(await page.locator("img, script:not([src])").count(), 0);

  let [realPictures, hidden] = [0, 0];
  for (const [index, path] of real.entries()) {
    const name = basename(path);
    await drop(path);
    const text = await until(path, (text) => text.startsWith(`${name}: `));
    assert(!isError(text), text);
    const thumb = join(realThumbs, `${index}.png`);
    if (!existsSync(thumb)) continue;
    const agreed = await agrees(text, thumb, REAL);
    if (agreed === null) hidden += 1;
    else if (agreed) realPictures += 1;
  }
  assert(hidden <= real.length / 4, `${hidden} real files show nothing`);
  assert.deepEqual(faults, []);
  console.log(`Chromium ${browser.version()}: ${seen.size} models of the corpus, ${compared} pictures as those of thumb, ${real.length} real files, ${realPictures} pictures`);
} finally {
  await browser.close();
  server.close();
  rmSync(temporary, { recursive: true });
}
