// The server entry against a running node with the demo app: CHAT_URL and CHAT_KEY name them.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { Server, ServerError } from "../dist/server/index.js";

const { CHAT_URL: url, CHAT_KEY: apiKey } = process.env;
const chat = new Server({ url, apiKey });
const newUid = () => `user-${randomUUID()}`;

async function createUser() {
  const uid = newUid();
  await chat.post("/users", { body: { uid, name: "Olga Winter" } });
  return uid;
}

async function read(rows) {
  const all = [];
  for await (const row of rows) all.push(row);
  return all;
}

async function sendTexts(sender, receiver, texts) {
  for (const text of texts) {
    const body = { receiver, receiverType: "user", data: { text } };
    await chat.post("/messages", { body, onBehalfOf: sender });
  }
}

describe("a server", { skip: !url && "needs CHAT_URL and CHAT_KEY" }, () => {
  test("creates, reads, changes and deletes a user", async () => {
    const uid = newUid();

    const { data: created } = await chat.post("/users", { body: { uid, name: "Olga Winter" } });
    const { data: changed } = await chat.put("/users/{uid}", {
      path: { uid },
      body: { name: "Olga Sommer" },
    });
    const { data: found } = await chat.get("/users/{uid}", { path: { uid } });
    await chat.delete("/users/{uid}", { path: { uid }, body: { permanent: true } });

    assert.equal(created.name, "Olga Winter");
    assert.equal(changed.name, "Olga Sommer");
    assert.equal(found.uid, uid);
    await assert.rejects(chat.get("/users/{uid}", { path: { uid } }), { code: "ERR_UID_NOT_FOUND" });
  });

  test("gets a token for a user", async () => {
    const uid = await createUser();

    const { data } = await chat.post("/users/{uid}/auth_tokens", { path: { uid } });

    assert.match(data.authToken, new RegExp(`^${uid}_`));
  });

  test("acts as a user", async () => {
    const [anna, ben] = [await createUser(), await createUser()];
    await sendTexts(anna, ben, ["Hello, Ben!"]);

    const { data } = await chat.get("/conversations", { onBehalfOf: ben });

    assert.equal(data[0].lastMessage.sender, anna);
    assert.equal(data[0].lastMessage.data.text, "Hello, Ben!");
  });

  test("puts what is no plain text into a path", async () => {
    const [anna, ben] = [await createUser(), await createUser()];
    await sendTexts(anna, ben, ["Hello, Ben!"]);
    const [{ id }] = await read(chat.list("/users/{uid}/messages", { path: { uid: ben }, onBehalfOf: anna }));
    const path = { id, reaction: "👍" };

    await chat.post("/messages/{id}/reactions/{reaction}", { path, onBehalfOf: ben });

    const { data } = await chat.get("/messages/{id}/reactions/{reaction}", { path });
    assert.equal(data[0].reactedBy.uid, ben);
  });

  test("sends files with a form", async () => {
    const [anna, ben] = [await createUser(), await createUser()];
    const file = [new File(["one"], "one.txt", { type: "text/plain" }), new Blob(["three"])];
    const data = { text: "Two files" };

    const { data: sent } = await chat.post("/messages", {
      form: { receiver: ben, receiverType: "user", type: "file", data, tags: ["a", "b"], file },
      onBehalfOf: anna,
    });

    assert.equal(sent.data.text, "Two files");
    assert.deepEqual(sent.tags, ["a", "b"]);
    assert.equal(sent.data.attachments[0].name, "one.txt");
    assert.deepEqual(
      sent.data.attachments.map(({ size }) => size),
      [3, 5],
    );
  });

  test("is told by a code and by field what is wrong", async () => {
    const error = await chat.post("/users", { body: { uid: newUid() } }).catch((error) => error);

    assert(error instanceof ServerError);
    assert.deepEqual([error.status, error.code], [400, "ERR_BAD_REQUEST"]);
    assert.deepEqual(Object.keys(error.details), ["name"]);
    assert.match(error.requestId, /./);
    assert.equal(error.name, "ServerError");
  });

  test("is refused with a wrong key", async () => {
    const other = new Server({ url: `${url}/`, apiKey: "f".repeat(40) });

    await assert.rejects(other.get("/users"), { status: 401, code: "AUTH_ERR_APIKEY_NOT_FOUND" });
  });

  test("writes once with an idempotency key", async () => {
    const [anna, ben] = [await createUser(), await createUser()];
    const call = {
      body: { receiver: ben, receiverType: "user", data: { text: "Once" } },
      onBehalfOf: anna,
      idempotencyKey: randomUUID(),
    };

    const [first, second] = [await chat.post("/messages", call), await chat.post("/messages", call)];

    assert.equal(first.data.id, second.data.id);
  });

  test("reads all rows of a list that has a cursor", async () => {
    const tag = `tag-${randomUUID()}`;
    const uids = [newUid(), newUid(), newUid(), newUid(), newUid()];
    for (const uid of uids) await chat.post("/users", { body: { uid, name: "Olga", tags: [tag] } });

    const found = await read(chat.list("/users", { query: { perPage: 2, tags: ["no-such-tag", tag] } }));

    assert.deepEqual(found.map(({ uid }) => uid).sort(), uids.sort());
  });

  test("reads all rows of a list by number", async () => {
    const { data } = await chat.get("/triggers", { query: { perPage: 1000 } });

    const found = await read(chat.list("/triggers", { query: { perPage: 5 } }));

    assert(data.length > 5);
    assert.deepEqual(found, data);
  });

  test("reads all messages of a conversation, in either direction", async () => {
    const [anna, ben] = [await createUser(), await createUser()];
    const texts = ["one", "two", "three", "four", "five"];
    await sendTexts(anna, ben, texts);
    const textsOf = async (query) => {
      const rows = chat.list("/users/{uid}/messages", { path: { uid: ben }, query, onBehalfOf: anna });
      return (await read(rows)).map(({ data }) => data.text);
    };

    assert.deepEqual(await textsOf({ limit: 2 }), texts);
    assert.deepEqual(await textsOf({ limit: 2, affix: "append" }), texts);
    assert.deepEqual(await textsOf({ limit: 2, affix: "prepend" }), texts.toReversed());
    assert.deepEqual(await textsOf({ limit: 1000, affix: "prepend" }), texts.toReversed());
  });

  test("reads the log of events to its end", async () => {
    const { meta } = await chat.get("/events");
    const [anna, ben] = [await createUser(), await createUser()];
    await sendTexts(anna, ben, ["one", "two", "three"]);

    const events = await read(chat.list("/events", { query: { since: meta.cursor, limit: 2 } }));

    const sent = events.filter(({ event }) => event === "message_sent");
    assert.deepEqual(
      sent.filter(({ data }) => data.message.sender === anna).map(({ data }) => data.message.data.text),
      ["one", "two", "three"],
    );
  });

  test("reads no more of a list than it is asked for", async () => {
    let calls = 0;
    const counting = (...request) => {
      calls++;
      return fetch(...request);
    };
    const watched = new Server({ url, apiKey, fetch: counting });

    for await (const user of watched.list("/users", { query: { perPage: 1 } })) {
      assert(user.uid);
      break;
    }

    assert.equal(calls, 1);
  });
});
