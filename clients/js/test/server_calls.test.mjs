// The calls of the server entry: what is sent, what is tried again, what fails. No server is needed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server, ServerError } from "../dist/server/index.js";

const DONE = () => Response.json({ data: { uid: "anna" } });
const refusal =
  (status, code, headers = {}) =>
  () =>
    Response.json({ error: { code, message: "No." } }, { status, headers });
const BUSY = refusal(503, "ERR_OPERATION_FAILED", { "retry-after": "0" });
const TOO_MANY = refusal(429, "ERR_TOO_MANY_REQUESTS", { "retry-after": "0" });
const UNREACHED = () => Promise.reject(new TypeError("fetch failed"));
const page = (data, meta) => () => Response.json({ data, meta });
const ANNA = { path: { uid: "anna" } };
const NEW_USER = { body: { uid: "anna", name: "Anna" } };

/** A server that gives these answers, one after the other, and the requests that it has got. */
function scripted(answers, options = {}) {
  const requests = [];
  const answer = async (address, request) => {
    requests.push({ address, ...request, headers: Object.fromEntries(request.headers) });
    return answers[requests.length - 1](request);
  };
  const server = new Server({ url: "https://chat.test/v3", apiKey: "key", fetch: answer, ...options });
  return { server, requests };
}

/** Calls `end` with the reason when the call is ended. Until then the process is kept, as a socket keeps it. */
function onEnd(signal, end) {
  const socket = setInterval(() => {}, 60_000);
  signal.addEventListener("abort", () => {
    clearInterval(socket);
    end(signal.reason);
  });
}

/** Never answers, until the call is ended. */
function silence({ signal }) {
  return new Promise((_, reject) => onEnd(signal, reject));
}

test("a call has its key, its user and its parameters", async () => {
  const { server, requests } = scripted([DONE], { appId: "app-1" });

  const query = { tags: ["a b", "c&d"], perPage: 5, withTags: true, role: undefined };
  await server.get("/users", { query, onBehalfOf: "ben" });

  const [{ address, method, headers, redirect }] = requests;
  const { origin, pathname, searchParams } = new URL(address);
  assert.equal(origin + pathname, "https://chat.test/v3/users");
  assert.deepEqual(Object.fromEntries(searchParams), { tags: "a b,c&d", perPage: "5", withTags: "true" });
  assert.deepEqual(headers, { apikey: "key", appid: "app-1", onbehalfof: "ben" });
  assert.deepEqual([method, redirect], ["GET", "error"]);
});

test("a body is sent as JSON", async () => {
  const { server, requests } = scripted([DONE]);

  await server.post("/users", { ...NEW_USER, idempotencyKey: "once" });

  const [{ body, headers }] = requests;
  assert.deepEqual(JSON.parse(body), NEW_USER.body);
  assert.deepEqual(headers, { apikey: "key", "content-type": "application/json", "idempotency-key": "once" });
});

for (const uid of ["", ".", "..", undefined]) {
  test(`${JSON.stringify(uid)} in a path calls nothing`, async () => {
    const { server, requests } = scripted([DONE]);

    await assert.rejects(server.delete("/users/{uid}", { path: { uid } }), TypeError);

    assert.equal(requests.length, 0);
  });
}

test("what stands in a path can't lead out of it", async () => {
  const { server, requests } = scripted([DONE]);

  await server.get("/users/{uid}", { path: { uid: "../groups/x?y#z" } });

  assert.equal(requests[0].address, "https://chat.test/v3/users/..%2Fgroups%2Fx%3Fy%23z");
});

const REPEATED = [
  ["a reading that was answered 503", BUSY, (server) => server.get("/users/{uid}", ANNA)],
  ["a reading that got no answer", UNREACHED, (server) => server.get("/users/{uid}", ANNA)],
  ["a write over its limit", TOO_MANY, (server) => server.post("/users", NEW_USER)],
  [
    "a write with a key, answered 503",
    BUSY,
    (server) => server.post("/users", { ...NEW_USER, idempotencyKey: "a" }),
  ],
];
for (const [name, failure, call] of REPEATED) {
  test(`${name} is made again`, async () => {
    const { server, requests } = scripted([failure, failure, DONE]);

    assert.equal((await call(server)).data.uid, "anna");

    assert.equal(requests.length, 3);
  });
}

const ONCE = [
  ["a write that was answered 503", BUSY, (server) => server.post("/users", NEW_USER)],
  ["a write that got no answer", UNREACHED, (server) => server.put("/users/{uid}", { ...ANNA, body: {} })],
  [
    "a reading that was refused",
    refusal(404, "ERR_UID_NOT_FOUND"),
    (server) => server.get("/users/{uid}", ANNA),
  ],
  [
    "a reading that is to wait for a minute",
    refusal(429, "ERR_TOO_MANY_REQUESTS", { "retry-after": "60" }),
    (server) => server.get("/users/{uid}", ANNA),
  ],
  [
    "a reading that is to wait until a date",
    refusal(503, "ERR_OPERATION_FAILED", { "retry-after": "Wed, 21 Oct 2037 07:28:00 GMT" }),
    (server) => server.get("/users/{uid}", ANNA),
  ],
];
for (const [name, failure, call] of ONCE) {
  test(`${name} is not made again`, async () => {
    const { server, requests } = scripted([failure, DONE]);

    await assert.rejects(call(server), ServerError);

    assert.equal(requests.length, 1);
  });
}

test("a call that fails again and again ends", async () => {
  const { server, requests } = scripted([BUSY, BUSY, BUSY, DONE]);

  await assert.rejects(server.get("/users"), { status: 503, code: "ERR_OPERATION_FAILED" });

  assert.equal(requests.length, 3);
});

test("a server that does not retry does not", async () => {
  const { server, requests } = scripted([BUSY, DONE], { retries: 0 });

  await assert.rejects(server.get("/users"), { status: 503 });

  assert.equal(requests.length, 1);
});

test("a call without an answer ends in time", async () => {
  const { server } = scripted([silence], { timeout: 20, retries: 0 });

  const error = await server.get("/users").catch((error) => error);

  assert(error instanceof ServerError);
  assert.deepEqual([error.code, error.status, error.message], ["NO_ANSWER", 0, "No answer in 20 ms."]);
});

test("an answer that stops in the middle ends in time", async () => {
  const stops = ({ signal }) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"data": '));
          onEnd(signal, (reason) => controller.error(reason));
        },
      }),
    );
  const { server } = scripted([stops], { retries: 0 });

  await assert.rejects(server.get("/users", { timeout: 20 }), { code: "NO_ANSWER", status: 0 });
});

test("the caller ends a call, with their own reason", async () => {
  const { server, requests } = scripted([silence]);
  const controller = new AbortController();
  const reason = new Error("The shop is closed.");

  const call = server.get("/users", { signal: controller.signal });
  controller.abort(reason);

  await assert.rejects(call, reason);
  assert.equal(requests.length, 1);
});

test("the caller ends a call that waits to be made again", async () => {
  const busy = refusal(503, "ERR_OPERATION_FAILED", { "retry-after": "9" });
  const { server, requests } = scripted([busy]);
  const controller = new AbortController();

  const call = server.get("/users", { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);

  await assert.rejects(call, { name: "AbortError" });
  assert.equal(requests.length, 1);
});

test("a page of a proxy is no answer of Hubbub", async () => {
  const welcome = (status) => () => new Response("<h1>Welcome</h1>", { status });
  const { server } = scripted([welcome(502), welcome(200)]);

  const unexpected = { code: "UNEXPECTED_ANSWER" };
  await assert.rejects(server.get("/users"), { ...unexpected, status: 502 });
  await assert.rejects(server.get("/users"), { ...unexpected, status: 200 });
});

test("a list by cursor ends with a page that has none", async () => {
  const pagination = { current_page: 1, total_pages: 2 };
  const cursor = { affix: "prepend", updatedAt: 5, id: "anna" };
  const { server, requests } = scripted([
    page([{ uid: "ben" }, { uid: "anna" }], { pagination, cursor }),
    page([], { pagination }),
  ]);

  const found = [];
  for await (const user of server.list("/users", { query: { perPage: 2 } })) found.push(user.uid);

  assert.deepEqual(found, ["ben", "anna"]);
  assert.match(requests[1].address, /\?perPage=2&affix=prepend&updatedAt=5&id=anna$/);
});

test("a list goes on over empty pages that have a cursor", async () => {
  const { server, requests } = scripted([
    page([], { current: {}, next: { affix: "append", sentAt: 5, id: "9" } }),
    page([{ id: "10" }], { current: {}, previous: { affix: "prepend", sentAt: 6, id: "10" } }),
  ]);

  const found = [];
  for await (const message of server.list("/messages", { query: { searchKey: "boots" } }))
    found.push(message.id);

  assert.deepEqual(found, ["10"]);
  assert.match(requests[1].address, /\?searchKey=boots&affix=append&sentAt=5&id=9$/);
});

test("the log of notifications is read backwards", async () => {
  const { server } = scripted([
    page([{ id: "3" }, { id: "4" }], { current: {}, previous: { affix: "prepend", logId: "3" } }),
    page([{ id: "1" }, { id: "2" }], { current: {}, next: { affix: "append", logId: "2" } }),
  ]);

  const found = [];
  for await (const log of server.list("/notifications/v1/logs")) found.push(log.id);

  assert.deepEqual(found, ["4", "3", "2", "1"]);
});
