/** After an import, which tells of no message, an open store shows what was imported. CHAT_URL, CHAT_KEY: a running node. */

import assert from "node:assert/strict";
import { test } from "node:test";
import WebSocket from "ws";
import { Client } from "../dist/index.js";
import { openChat } from "../dist/store/index.js";

const URL_ = process.env.CHAT_URL;
const headers = { apikey: process.env.CHAT_KEY };
const LONG_AGO = 1_700_000_000;
const PATIENCE_MS = 60_000;

const json = async (method, path, body) => {
  const response = await fetch(URL_ + path, { method, headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) });
  assert.equal(response.status, 200, path);
  return (await response.json()).data;
};

test("an open store shows what was imported", async () => {
  const [me, other] = [`m${Date.now().toString(36)}a`, `m${Date.now().toString(36)}b`];
  for (const uid of [me, other]) await json("POST", "/users", { uid, name: uid });
  const { authToken } = await json("POST", `/users/${me}/auth_tokens`, { force: true });
  const client = new Client({ url: URL_, fetchToken: async () => authToken, WebSocket });
  const chat = await openChat(client, { uid: me });
  const list = chat.conversations();
  const shown = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it is not shown")), PATIENCE_MS);
    list.subscribe(() => {
      const has = JSON.stringify(list.get()).includes("Long ago");
      if (has) resolve(clearTimeout(timer));
    });
  });
  while (client.state.name !== "connected") await new Promise((resolve) => setTimeout(resolve, 20));
  const line = { type: "message", muid: "old", sender: other, receiverType: "user", receiver: me, sentAt: LONG_AGO, data: { text: "Long ago" } };
  const form = new FormData();
  form.append("file", new Blob([`${JSON.stringify(line)}\n`]), "lines.jsonl");
  const asked = await fetch(`${URL_}/imports`, { method: "POST", headers, body: form });
  assert.equal(asked.status, 200);
  await shown;
  chat.close();
});
