/** Drafts in the store: on all devices, over cuts and reloads. CHAT_URL, CHAT_KEY: a running node. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import WebSocket from "ws";
import { Client, ClientError } from "../dist/index.js";
import { openChat } from "../dist/store/index.js";

const URL_ = process.env.CHAT_URL;
const limits = { timeout: 60_000 };

async function call(method, path, body, uid) {
  const headers = { apikey: process.env.CHAT_KEY, "Content-Type": "application/json", ...(uid ? { onBehalfOf: uid } : {}) };
  const response = await fetch(URL_ + path, { method, headers, body: body && JSON.stringify(body) });
  return (await response.json()).data;
}

async function until(isSo, what) {
  for (let turn = 0; turn < 1000; turn++) {
    if (await isSo()) return;
    await pause(20);
  }
  assert.fail(`it never came that ${what}`);
}

/** Somebody who writes to `other`; `open` opens the store on one more device, `calls` are those about drafts. */
async function person() {
  const name = Date.now().toString(36) + Math.random().toString(36).slice(2, 6);
  const [me, other] = [`d${name}a`, `d${name}b`];
  for (const uid of [me, other]) await call("POST", "/users", { uid, name: uid });
  const { authToken } = await call("POST", `/users/${me}/auth_tokens`, {});
  const id = `${me}_user_${other}`;
  const stored = () => call("GET", `/conversations/${id}/draft`, undefined, me);
  const open = async ({ after, ...more } = {}) => {
    const environment = after ? { after } : {};
    const client = new Client({ url: URL_, fetchToken: async () => authToken, WebSocket, environment });
    const calls = [];
    const network = { isAway: false };
    const request = client.request.bind(client);
    client.request = async (method, path, options) => {
      if (/\/drafts?$/.test(path)) {
        calls.push(method);
        if (network.isAway) throw new ClientError("ERR_NETWORK", "no answer");
      }
      return request(method, path, options);
    };
    const chat = await openChat(client, { uid: me, tabs: false, storage: "memory", ...more });
    await until(() => client.state.name === "connected", "the client is connected");
    return { chat, client, calls, network, draft: chat.draft(id) };
  };
  return { me, other, id, stored, open };
}

/** The time of a clock, by which what would happen after some time happens after another. */
const timeOf = (change) => (milliseconds, then) => {
  const timer = setTimeout(then, change(milliseconds));
  return () => clearTimeout(timer);
};

/** A disk that outlives a chat. */
function diskOf(rows = new Map()) {
  const put = ({ table, key, row }) => (row === undefined ? rows.delete(`${table} ${key}`) : rows.set(`${table} ${key}`, { table, key, row }));
  const disk = { kind: "indexeddb", load: async () => [...rows.values()], write: async (changes) => changes.forEach(put), close: () => undefined };
  return async () => disk;
}

test("what is written on one device is on the others, told once the person pauses", limits, async () => {
  const { id, stored, open } = await person();
  const [phone, desk] = [await open({ after: timeOf((milliseconds) => 3 * milliseconds) }), await open()];
  let told = 0;
  desk.draft.subscribe(() => (told += 1));
  for (const text of ["D", "De", "Dear Ben"]) {
    phone.chat.setDraft(id, { text });
    assert.deepEqual(phone.draft.get(), { text });
    assert.ok(!phone.calls.includes("PUT"), "nothing is told while the person types");
    await pause(1600);
  }
  await until(() => desk.draft.get()?.text === "Dear Ben", "the other device shows it");
  assert.deepEqual((await stored()).data, { text: "Dear Ben" });
  assert.deepEqual(phone.calls.filter((method) => method !== "GET"), ["PUT"]);
  assert.equal(told, 1);

  const late = await open();
  await until(() => late.draft.get()?.text === "Dear Ben", "a device that comes later reads it");
  desk.chat.setDraft(id, undefined);
  await until(() => !phone.draft.get() && !late.draft.get(), "it is removed from all");
  assert.equal(await stored(), undefined);
  for (const { chat } of [phone, desk, late]) await chat.close();
});

test("a text that is sent takes its draft away; one that was never told costs no call", limits, async () => {
  const { id, other, stored, open } = await person();
  const { chat, calls, draft } = await open();
  await until(() => calls.length === 1, "drafts are read");
  await pause(200);
  chat.setDraft(id, { text: "Hello" });
  chat.send({ uid: other }, { text: "Hello" });
  assert.equal(draft.get(), undefined);
  await pause(1300);
  assert.deepEqual(calls, ["GET"]);

  chat.setDraft(id, { text: "Hello again" });
  await until(stored, "it is stored");
  chat.send({ uid: other }, { data: { some: "data" }, category: "custom", type: "thing" });
  assert.deepEqual(draft.get(), { text: "Hello again" });
  chat.send({ uid: other }, { text: "Hello again" });
  await until(async () => !(await stored()), "it is removed");
  assert.deepEqual(calls, ["GET", "PUT", "DELETE"]);
  await chat.close();
});

test("what was not told before a reload is told after it, and counts more than an older draft", limits, async () => {
  const { me, id, stored, open } = await person();
  await call("PUT", `/conversations/${id}/draft`, { data: { text: "Older" } }, me);
  const storage = diskOf();
  const before = await open({ storage });
  await until(() => before.draft.get()?.text === "Older", "the draft is read");
  before.network.isAway = true;
  before.chat.setDraft(id, { text: "Newer" });
  await until(() => before.calls.includes("PUT"), "the call is made, and lost");
  const heard = new Promise((resolve) => before.chat.on("draft_changed", resolve));
  await call("PUT", `/conversations/${id}/draft`, { data: { text: "Elsewhere" } }, me);
  await heard;
  assert.deepEqual(before.draft.get(), { text: "Newer" });
  await before.chat.close();
  assert.equal((await stored()).data.text, "Elsewhere");

  const after = await open({ storage });
  assert.deepEqual(after.draft.get(), { text: "Newer" });
  await until(async () => (await stored()).data.text === "Newer", "the server has it");
  await after.chat.close();
});

test("drafts that changed while a client was away are read when the server can't resume", limits, async () => {
  const { me, id, open } = await person();
  const { chat, client, draft } = await open();
  chat.setDraft(id, { text: "Here" });
  await until(() => call("GET", `/conversations/${id}/draft`, undefined, me), "it is stored");
  client.disconnect();
  await call("DELETE", `/conversations/${id}/draft`, undefined, me);
  client.cursor = "1-1";
  client.connect();
  await until(() => draft.get() === undefined, "it is gone here, too");
  await chat.close();
});

test("a draft that the server refuses stays here, and is not tried again", limits, async () => {
  const { id, stored, open } = await person();
  const { chat, calls, draft } = await open({ after: timeOf((milliseconds) => milliseconds === 20_000 ? 1000 : milliseconds) });
  chat.setDraft(id, { text: "x".repeat(200_000) });
  await until(() => calls.includes("PUT"), "it was tried");
  await pause(2500); // longer than it takes until a call is made again that was lost
  assert.equal(draft.get().text.length, 200_000);
  assert.equal(calls.filter((method) => method === "PUT").length, 1);
  assert.equal(await stored(), undefined);
  await chat.close();
});

test("who asks for no draft makes no call about them", limits, async () => {
  const { other, open, me } = await person();
  await call("POST", "/messages", { receiver: me, receiverType: "user", data: { text: "Hello" } }, other);
  const { authToken } = await call("POST", `/users/${me}/auth_tokens`, {});
  const client = new Client({ url: URL_, fetchToken: async () => authToken, WebSocket });
  const paths = [];
  const request = client.request.bind(client);
  client.request = (method, path, options) => (paths.push(path), request(method, path, options));
  const chat = await openChat(client, { uid: me, tabs: false, storage: "memory" });
  await until(() => client.state.name === "connected", "it is connected");
  chat.send({ uid: other }, { text: "Hello back" });
  await until(() => chat.status.get().queued === 0, "it is sent");
  await pause(1200);
  assert.ok(paths.length > 0);
  assert.deepEqual(paths.filter((path) => path.includes("draft")), []);
  await chat.close();
});
