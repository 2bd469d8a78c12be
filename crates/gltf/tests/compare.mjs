// Checks that meshoptimizer's decoder decodes every file in a folder of compressed glTF to the arrays of the file with
// the same name in a folder without compression.
// usage: NODE_PATH=NODE_MODULES node compare.mjs PLAIN COMPRESSED
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [plain, compressed] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { NodeIO } = require('@gltf-transform/core');
const { ALL_EXTENSIONS } = require('@gltf-transform/extensions');
const { MeshoptDecoder } = require('meshoptimizer');
await MeshoptDecoder.ready;
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({ 'meshopt.decoder': MeshoptDecoder });

const equal = (a, b) => a.length === b.length && a.every((value, index) => value === b[index]);

// The first corner of a triangle may change.
const sameTriangles = (a, b) => {
  if (a.length !== b.length) return false;
  for (let first = 0; first < a.length; first += 3) {
    const same = (turn) => [0, 1, 2].every((corner) => b[first + corner] === a[first + ((corner + turn) % 3)]);
    if (![0, 1, 2].some(same)) return false;
  }
  return true;
};

// Every array of a file, in order, with a description.
const arrays = (root) => {
  const all = [];
  for (const primitive of root.listMeshes().flatMap((mesh) => mesh.listPrimitives())) {
    all.push(['triangles', primitive.getIndices()]);
    for (const attributes of [primitive, ...primitive.listTargets()]) {
      for (const name of attributes.listSemantics()) all.push([name, attributes.getAttribute(name)]);
    }
  }
  for (const sampler of root.listAnimations().flatMap((animation) => animation.listSamplers())) {
    all.push(['input', sampler.getInput()], ['output', sampler.getOutput()]);
  }
  for (const skin of root.listSkins()) all.push(['binds', skin.getInverseBindMatrices()]);
  return all.map(([name, accessor]) => [name, accessor.getArray()]);
};

let files = 0;
let compared = 0;
let bad = 0;
for (const name of readdirSync(compressed, { recursive: true }).sort()) {
  const other = path.join(plain, name);
  if (!/\.glb$/.test(name) || !existsSync(other)) continue;
  const wanted = arrays((await io.read(other)).getRoot());
  const found = arrays((await io.read(path.join(compressed, name))).getRoot());
  const differ = wanted.filter(([what, array], index) => {
    const [, decoded] = found[index] ?? ['', []];
    return !(what === 'triangles' ? sameTriangles(array, decoded) : equal(array, decoded));
  });
  files += 1;
  compared += wanted.length;
  if (differ.length > 0 || wanted.length !== found.length) {
    bad += 1;
    console.log(`${name}: ${differ.length} of ${wanted.length} arrays differ, such as ${differ[0]?.[0]}`);
  }
}
console.log(`${files} compressed files, ${compared} arrays, ${bad} files differ`);
process.exit(bad > 0 || files === 0 ? 1 : 0);
