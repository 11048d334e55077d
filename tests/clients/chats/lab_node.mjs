/**
 * A program with `lab`: `node lab_node.mjs URL UID TOKEN`. Each line it reads is an expression, as JSON; it prints what
 * this becomes.
 */

import { createInterface } from "node:readline";
import WebSocket from "../../../clients/node_modules/ws/wrapper.mjs";
import { openLab } from "./lab_core.mjs";

const [url, uid, token] = process.argv.slice(2);
globalThis.lab = await openLab({ url, uid, fetchToken: () => token, Real: WebSocket });
for await (const line of createInterface({ input: process.stdin })) {
  const value = await (0, eval)(JSON.parse(line));
  process.stdout.write(`${JSON.stringify(value ?? null)}\n`);
}
process.exit(0);
