// What headless Chromium draws of converted models, beside the pictures of `meshlens thumb`: vertex animation textures by the
// program in docs/carriers.md, and glTF files whose meshes are split, in three.js and Babylon.js. Called by .ci/carriers.
// usage: NODE_PATH=NODE_MODULES CHROMIUM=PROGRAM node browser.mjs MESHLENS FOLDER MODEL...
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join, resolve } from "node:path";
import assert from "node:assert/strict";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [meshlens, folder, ...models] = process.argv.slice(2).map((path) => resolve(path));
const modules = resolve(process.env.NODE_PATH);
// The least overlap of two outlines, and the greatest difference of the mean color from that of plain morph targets in three.js.
const OVERLAP = 0.93;
const TINT = 12;

const page = new URL("page.mjs", import.meta.url).pathname;
const [, program] = readFileSync("docs/carriers.md", "utf8").match(/```js\n([^]*?)```/);
const html = `<!doctype html><canvas id="three" width="256" height="256"></canvas>
<canvas id="babylon" width="256" height="256"></canvas>
<script src="/modules/babylonjs/babylon.js"></script>
<script src="/modules/babylonjs-loaders/babylonjs.loaders.min.js"></script>
<script type="importmap">{ "imports": {
  "three": "/modules/three/build/three.module.js", "three/addons/": "/modules/three/examples/jsm/" } }</script>
<script type="module" src="/page.mjs"></script>`;
const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".png": "image/png" };
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const send = (type, body) => response.writeHead(200, { "content-type": type }).end(body);
  if (path === "/favicon.ico") return response.writeHead(204).end();
  if (path === "/") return send("text/html", html);
  if (path === "/program.mjs") return send(types[".mjs"], program);
  if (path === "/page.mjs") return send(types[".mjs"], readFileSync(page));
  const file = path.startsWith("/modules/") ? join(modules, path.slice(9)) : join(folder, path);
  if (!existsSync(file)) return response.writeHead(404).end();
  send(types[extname(file)] ?? "application/octet-stream", readFileSync(file));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args });
const tab = await browser.newPage();
const faults = [];
tab.on("console", (message) => message.type() === "error" && faults.push(message.text()));
tab.on("pageerror", (error) => faults.push(`${error}`));
await tab.goto(`http://127.0.0.1:${server.address().port}/`);
await tab.waitForFunction(() => window.ready);

let [drawn, failed] = [0, 0];
for (const model of models) {
  const name = basename(model).replaceAll(/[^a-z0-9]/gi, "_");
  mkdirSync(join(folder, name), { recursive: true });
  const out = (file) => join(folder, name, file);
  const run = (...options) => execFileSync(meshlens, ["-q", ...options], { stdio: ["ignore", "pipe", "ignore"] });
  run("convert", "--force", model, "--to", "vat", "-o", out("model.glb"));
  run("convert", "--force", model, "-o", out("morph.glb"));
  // Most models have few frames. Limits of a few targets split them as well.
  run("convert", "--force", model, "--max-targets", "3", "-o", out("split.glb"));
  const info = JSON.parse(readFileSync(out("model-remap_info.json")));
  const { clips } = info.meshlens;
  // The ends and the middle of the first clip, of the last one, and of some between.
  const some = new Set([0, 1, 2, 3].map((part) => Math.floor((part * (clips.length - 1)) / 3)));
  const wanted = [...some].flatMap((index) => {
    const clip = clips[index];
    const steps = new Set([0, Math.floor(clip.count / 2), clip.count - 1]);
    return [...steps].map((step) => [clip, clip.first + step]);
  });
  for (const [clip, frame] of wanted) {
    const picture = `thumb_${frame}.png`;
    // The frames of joints follow the pose at rest.
    const own = frame - Number(clips[0].first === 1 && info.meshlens.restFrame === 0);
    run("thumb", "--force", model, "--view", "front", "--background", "none", "--size", "256", "--frame", `${own}`, "-o", out(picture));
    const ours = await tab.evaluate((url) => window.picture(url), `/${name}/${picture}`);
    const seconds = (frame - clip.first) / clip.rate;
    const shown = {
      textures: await tab.evaluate(([name, frame]) => window.textures(name, frame), [`/${name}/model`, frame]),
    };
    for (const file of ["morph", "split"]) {
      for (const program of ["three", "babylon"]) {
        shown[`${file} ${program}`] = await tab.evaluate(
          ([program, url, clip, seconds]) => window[program](url, clip, seconds),
          [program, `/${name}/${file}.glb`, clip.name, seconds],
        );
      }
    }
    for (const [how, found] of Object.entries(shown)) {
      writeFileSync(out(`${how.replace(" ", "_")}_${frame}.png`), Buffer.from(found.png.split(",")[1], "base64"));
      const both = found.mask.filter((is, index) => is && ours.mask[index]).length;
      const either = found.mask.filter((is, index) => is || ours.mask[index]).length;
      const overlap = both / either;
      const like = how.endsWith("babylon") ? found : shown["morph three"];
      const tint = Math.max(...found.tint.map((value, channel) => Math.abs(value - like.tint[channel])));
      const bad = !(overlap >= OVERLAP && tint <= TINT);
      drawn += 1;
      failed += bad;
      console.log(`${name} frame ${frame}, ${how}: overlap ${overlap.toFixed(3)}, color ${tint.toFixed(0)}${bad ? " BAD" : ""}`);
    }
  }
}
await browser.close();
server.close();
assert.deepEqual(faults, []);
assert.ok(drawn > 0 && failed === 0, `${failed} of ${drawn} pictures differ from those of meshlens`);
console.log(`${drawn} pictures in Chromium are those of meshlens`);
