// Writes src/generated/ from the documents of the server: its OpenAPI and its AsyncAPI.
//
//   node tools/types.mjs [--out DIRECTORY] [OPENAPI.json ASYNCAPI.json]
//
// Without files it asks the Hubbub of the checkout (`.venv/bin/hubbub openapi`). Equal documents
// make equal bytes, so a test can compare.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { declarations } from "./types/declarations.mjs";
import { errorCodes } from "./types/error_codes.mjs";
import { REALTIME, realtimeTypes } from "./types/realtime.mjs";
import { REST, restTypes } from "./types/rest.mjs";
import { joinSchemas, reachable, refTo, referredTo } from "./types/schemas.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const HUBBUB = join(HERE, "../../../.venv/bin/hubbub");
const HEADER =
  "// Generated from the documents of the server. Do not edit it: `make client-types` makes it again.\n\n";
/** Schemas that programs need, although no event and no operation refers to them. */
const ALSO = ["ErrorBody", "ErrorCode"];

function readDocuments([openapi, asyncapi]) {
  return openapi && asyncapi
    ? [openapi, asyncapi].map((file) => JSON.parse(readFileSync(file, "utf8")))
    : ["openapi", "asyncapi"].map(askHubbub);
}

function askHubbub(document) {
  return JSON.parse(execFileSync(HUBBUB, [document], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }));
}

async function writeTypes(openapi, asyncapi, out) {
  const schemas = { ...joinSchemas(openapi, asyncapi), ErrorCode: errorCodes(openapi, asyncapi) };
  const realtime = realtimeTypes(asyncapi, schemas);
  const rest = restTypes(openapi);
  refuseDoubles([...Object.keys(realtime), ...Object.keys(rest)], schemas);
  const ofRealtime = reachable([realtime, ALSO.map(refTo)], schemas);
  const all = reachable([realtime, rest, ALSO.map(refTo)], schemas);

  const declared = await declarations({ ...schemas, ...realtime, ...rest });
  const print = (names) => names.map((name) => declared.get(name)).join("\n");
  const write = (name, ...parts) => writeFileSync(join(out, name), HEADER + parts.join("\n"));
  mkdirSync(out, { recursive: true });
  write("schemas.ts", print(all));
  write(
    "realtime.ts",
    fromSchemas("import", referredTo(realtime)),
    fromSchemas("export", ofRealtime),
    print(Object.keys(realtime)),
    REALTIME,
  );
  write("rest.ts", fromSchemas("import", referredTo(rest)), print(Object.keys(rest)), REST);
}

function refuseDoubles(names, schemas) {
  const doubles = names.filter((name) => schemas[name]);
  if (doubles.length) throw new Error(`Schemas have these names, too: ${doubles.join(", ")}.`);
}

function fromSchemas(word, names) {
  return `${word} type {\n${names.map((name) => `  ${name},\n`).join("")}} from "./schemas.js";\n`;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: "string" } } });
const [openapi, asyncapi] = readDocuments(positionals);
await writeTypes(openapi, asyncapi, values.out ?? join(HERE, "../src/generated"));
