/** What events tell of rows that were read before or after them. CHAT_URL, CHAT_KEY: a running node. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import WebSocket from "ws";
import { Client } from "../dist/index.js";
import { openChat } from "../dist/store/index.js";

const URL_ = process.env.CHAT_URL;
const PATIENCE_MS = 60_000;

const json = async (method, path, body, uid) => {
  const headers = { apikey: process.env.CHAT_KEY, "Content-Type": "application/json", ...(uid ? { onBehalfOf: uid } : {}) };
  const response = await fetch(URL_ + path, { method, headers, body: body && JSON.stringify(body) });
  assert.equal(response.status, 200, path);
  return (await response.json()).data;
};

test("a page that was read before a receipt shows what it says", { timeout: PATIENCE_MS }, async () => {
  const [me, other] = [`r${Date.now().toString(36)}a`, `r${Date.now().toString(36)}b`];
  for (const uid of [me, other]) await json("POST", "/users", { uid, name: uid });
  await json("POST", "/messages", { receiver: me, receiverType: "user", data: { text: "Hello" } }, other);
  const { authToken } = await json("POST", `/users/${me}/auth_tokens`, { force: true });
  const client = new Client({ url: URL_, fetchToken: async () => authToken, WebSocket });
  const chat = await openChat(client, { uid: me, tabs: false });
  while (client.state.name !== "connected") await pause(20);

  const held = new EventTarget();
  const read = once(held, "read");
  const request = client.request.bind(client);
  client.request = async (method, path, options) => {
    const answer = await request(method, path, options);
    if (method !== "GET" || path !== `/users/${other}/messages`) return answer;
    held.dispatchEvent(new Event("read"));
    await told; // the page is on its way, and lacks the receipt
    return answer;
  };
  const told = new Promise((resolve) => chat.on("conversation_read", resolve));
  const list = chat.messages(chat.open({ uid: other }));
  list.subscribe(() => undefined);
  await read;
  await json("POST", `/users/${other}/conversation/read`, {}, me);
  while (list.get().messages.length === 0) await pause(20);

  const [fresh] = await json("GET", `/users/${other}/messages`, undefined, me);
  assert.equal(list.get().messages[0].readAt, fresh.readAt);
  await chat.close();
});

test("a number that was read after an event is not added to when the event is told again", { timeout: PATIENCE_MS }, async () => {
  const [me, other] = [`n${Date.now().toString(36)}a`, `n${Date.now().toString(36)}b`];
  for (const uid of [me, other]) await json("POST", "/users", { uid, name: uid });
  const { id } = await json("POST", "/messages", { receiver: me, receiverType: "user", data: { text: "Hello" } }, other);
  const { authToken } = await json("POST", `/users/${me}/auth_tokens`, { force: true });
  const rows = new Map();
  const put = ({ table, key, row }) => (row === undefined ? rows.delete(`${table} ${key}`) : rows.set(`${table} ${key}`, { table, key, row }));
  const disk = { kind: "indexeddb", load: async () => [...rows.values()], write: async (changes) => changes.forEach(put), close: () => undefined };
  const open = async () => {
    const client = new Client({ url: URL_, fetchToken: async () => authToken, WebSocket });
    const chat = await openChat(client, { uid: me, tabs: false, storage: async () => disk });
    const replies = chat.replies(id);
    replies.subscribe(() => undefined);
    return { chat, replies };
  };

  const before = await open();
  while (before.replies.get() !== 0) await pause(20);
  await before.chat.close();
  await json("POST", `/messages/${id}/thread`, { data: { text: "A reply" } }, other);
  put({ table: "replies", key: id, row: { count: 1 } }); // it was read, and the page crashed before it heard of the event

  const { chat, replies } = await open();
  const heard = new Promise((resolve) => chat.on("message_sent", resolve));
  assert.equal(replies.get(), 1);
  await heard;
  assert.equal(replies.get(), 1);
  await chat.close();
});
