/**
 * Bundles the page into the Python package, where it is committed: who runs Hubbub needs no build.
 * `node build.mjs FOLDER` writes elsewhere; a test compares that with what is committed.
 */

import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = process.argv[2] ?? here("../../src/hubbub/http/pages/demo/static");

await mkdir(folder, { recursive: true });
await build({
  absWorkingDir: here("."),
  entryPoints: { demo: "src/main.tsx" },
  outdir: folder,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  legalComments: "none",
  // The sources of the client, so that nothing has to be built before.
  alias: {
    "@hubbub/client/store": here("../js/src/store/index.ts"),
    "@hubbub/client": here("../js/src/index.ts"),
  },
  logLevel: "warning",
});
await copyFile(here("src/demo.html"), `${folder}/demo.html`);
