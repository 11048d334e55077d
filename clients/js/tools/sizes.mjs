// Measures what an application gains by each entry: bundled, minified, compressed by gzip.
//
//   node tools/sizes.mjs
//
// Fails if an entry is larger than it may be.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const SOURCE = fileURLToPath(new URL("../src", import.meta.url));
const KB = 1024;

/** What is bundled, and how large it may be. */
const ENTRIES = [
  { name: ".", files: ["index"], most: 12 * KB },
  { name: "./store with .", files: ["index", "store/index"], most: 20 * KB },
  { name: "./server", files: ["server/index"], most: 4 * KB },
];

async function measure({ files }) {
  const { outputFiles } = await build({
    stdin: { contents: files.map((file) => `export * from "./${file}.js";`).join("\n"), resolveDir: SOURCE },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  const [{ contents }] = outputFiles;
  return { minified: contents.length, compressed: gzipSync(contents, { level: 9 }).length };
}

const row = (...cells) =>
  cells.map((cell, place) => (place ? `${cell}`.padStart(12) : cell.padEnd(16))).join("");

console.log(row("entry", "minified", "gzip", "limit"));
for (const entry of ENTRIES) {
  const { minified, compressed } = await measure(entry);
  console.log(row(entry.name, minified, compressed, entry.most));
  if (compressed > entry.most) {
    console.log(`${entry.name} is ${compressed - entry.most} bytes too large.`);
    process.exitCode = 1;
  }
}
