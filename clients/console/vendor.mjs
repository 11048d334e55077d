/**
 * Copies what the console has of others into the Python package, where it is committed, unchanged.
 * `node vendor.mjs FOLDER` writes elsewhere; a test compares that with what is committed.
 */

import { copyFile, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FILES = {
  "htmx.org": ["dist/htmx.min.js"],
  uplot: ["dist/uPlot.iife.min.js", "dist/uPlot.min.css"],
};

const there = createRequire(import.meta.url);
const folder =
  process.argv[2] ?? fileURLToPath(new URL("../../src/hubbub/console/static", import.meta.url));

await mkdir(folder, { recursive: true });
for (const [name, files] of Object.entries(FILES)) {
  const from = dirname(there.resolve(`${name}/package.json`));
  for (const file of files) await copyFile(join(from, file), join(folder, basename(file)));
}
