// Receive webhooks of Hubbub: verify each call, and handle each event once. It needs no package.
//
// WEBHOOK_SECRET=whsec_... node receiver.mjs 9000

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const TOLERANCE_SECONDS = 300;
const LARGEST_BODY = 1024 * 1024;
const MOST_IDS = 100_000;
const key = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");

/** Return whether Hubbub has sent this call, in the last minutes. */
function isGenuine(headers, body) {
  const timestamp = headers["webhook-timestamp"] ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const signed = Buffer.concat([Buffer.from(`${headers["webhook-id"] ?? ""}.${timestamp}.`), body]);
  const expected = Buffer.from(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  // After a rotation of the secret there are two signatures; one that fits is enough.
  return (headers["webhook-signature"] ?? "").split(" ").some((each) => {
    const given = Buffer.from(each);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The ids of the events that were handled. Keep them in your database, not in memory. */
const handled = new Set();

function handleOnce(id, body) {
  if (handled.has(id)) return;
  console.error("event", id, body.trigger);
  handled.add(id);
  if (handled.size > MOST_IDS) handled.delete(handled.values().next().value);
}

/** Return the body of a request; null if it is too large. */
async function readBody(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > LARGEST_BODY) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const server = createServer(async (request, response) => {
  try {
    const raw = await readBody(request);
    if (raw === null) return response.writeHead(413, { Connection: "close" }).end();
    if (!isGenuine(request.headers, raw)) return response.writeHead(401).end();
    const body = JSON.parse(raw);
    handleOnce(request.headers["webhook-id"], body);
    if (body.trigger === "before_message") return response.end('{"action": "allow"}');
    response.writeHead(204).end();
  } catch (error) {
    console.error(error); // without an answer of 2xx the call is made again
    response.writeHead(500).end();
  }
});
server.requestTimeout = 10_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
