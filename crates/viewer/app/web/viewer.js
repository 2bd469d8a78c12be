// Starts the viewer, and gives it the files that are dropped or chosen. Files are read here and go nowhere else.
import init, { start } from "./meshlens_view.js";

const canvas = document.getElementById("view");
const status = document.getElementById("status");
const inputs = ["files", "folder"].map((id) => document.getElementById(id));

// Every file below an entry of a drop, with its path.
async function walk(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ name: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // A reader returns some of the entries with each call.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const inner of entries) found.push(...(await walk(inner)));
  }
}

async function add(viewer, files) {
  try {
    const names = files.map(({ name }) => name);
    const contents = await Promise.all(files.map(async ({ file }) => new Uint8Array(await file.arrayBuffer())));
    viewer.addFiles(names, contents);
    // For its keys.
    canvas.focus();
  } catch (error) {
    status.textContent = `The files cannot be read: ${error}`;
  }
}

// Saves an export, as a link does that downloads a file.
function save(name, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  // The browser reads it after this function.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function main() {
  await init({ module_or_path: new URL("meshlens_view_bg.wasm", import.meta.url) });
  const viewer = await start(canvas, status, save);
  const own = (type, action) =>
    window.addEventListener(type, (event) => {
      event.preventDefault();
      event.stopPropagation();
      action?.(event);
    }, { capture: true });
  own("dragover");
  own("drop", async (event) => {
    // Entries are gone after the first await.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = [...event.dataTransfer.files].map((file) => ({ name: file.name, file }));
    const walked = (await Promise.all(entries.map(walk))).flat();
    await add(viewer, walked.length > 0 ? walked : files);
  });
  for (const input of inputs) {
    input.addEventListener("change", async () => {
      await add(viewer, [...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
      input.value = "";
    });
  }
}

main().catch((error) => {
  status.textContent = `The viewer cannot start: ${error}. It needs WebGL2.`;
  throw error;
});
