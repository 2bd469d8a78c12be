// Checks every .glb and .gltf file below the given folders with the Khronos validator. Errors and warnings are not
// allowed.
// usage: NODE_PATH=NODE_MODULES node validate.mjs FOLDER...
import { readFile } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const validator = createRequire(import.meta.url)('gltf-validator');

let files = 0;
let bad = 0;
for (const folder of process.argv.slice(2)) {
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    if (!/\.(glb|gltf)$/.test(name)) continue;
    const file = path.join(folder, name);
    const bytes = new Uint8Array(await readFile(file));
    const report = await validator.validateBytes(bytes, {
      uri: file,
      maxIssues: 100,
      externalResourceFunction: async (uri) =>
        new Uint8Array(await readFile(path.join(path.dirname(file), decodeURIComponent(uri)))),
    });
    files += 1;
    const { numErrors, numWarnings, messages } = report.issues;
    if (numErrors + numWarnings > 0) {
      bad += 1;
      console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings`);
      for (const m of messages.filter((m) => m.severity < 2).slice(0, 5)) {
        console.log(`  ${m.code} ${m.pointer ?? m.offset ?? ''}: ${m.message}`);
      }
    }
  }
}
console.log(`${files} files, ${bad} with errors or warnings`);
process.exit(bad > 0 || files === 0 ? 1 : 0);
