// Runs a program for wasm32-wasip1 under Node and exits with the same status. This is cargo's runner for tests in
// WebAssembly:
//   node --no-warnings .ci/wasm-runner.mjs PROGRAM [ARGUMENT]...
// The program has no folders, and a trap (a panic of a test) ends this program with an error.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: process.env, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
