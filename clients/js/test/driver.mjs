/**
 * The driver of this client for the conformance suite (clients/conformance): `node driver.mjs [store]`.
 *
 * With `store` messages go through the store over IndexedDB, which keeps its position and its queue over a restart.
 */

import "fake-indexeddb/auto";
import { createInterface } from "node:readline";
import WebSocket from "ws";
import { Client } from "../dist/index.js";
import { openChat } from "../dist/store/index.js";

const hasStore = process.argv[2] === "store";
const say = (saw, more) => process.stdout.write(JSON.stringify({ saw, ...more }) + "\n");
const network = new EventTarget(); // Node has no event `online`
globalThis.addEventListener = network.addEventListener.bind(network);
globalThis.removeEventListener = network.removeEventListener.bind(network);

/** A client, and the store over it. */
class Driver {
  constructor({ rest, speed }) {
    this.answers = [];
    this.watched = new Set();
    const fetchToken = () => {
      say("token");
      return new Promise((resolve, reject) => this.answers.push({ resolve, reject }));
    };
    this.client = new Client({ url: rest, fetchToken, WebSocket, environment: timeOf(speed) });
    this.client.on("state", (state) => this.tellState(state));
    this.client.on("event", (frame) => say("event", { ...frame }));
    this.connect = () => this.client.connect();
  }

  async open() {
    if (!hasStore) return this.client.loadWith(() => this.load());
    const connect = this.connect;
    this.client.connect = () => undefined; // the store connects when it is opened; the suite says when
    this.chat = await openChat(this.client, { uid: "anna", tabs: false });
    delete this.client.connect;
    this.connect = connect;
  }

  async load() {
    const { meta } = await this.client.request("GET", "/conversations");
    return meta.eventCursor;
  }

  tellState({ name, code, milliseconds }) {
    if (this.isGone) return;
    say("state", { state: name, code, ...(name === "waiting" ? { seconds: milliseconds / 1000 } : {}) });
  }

  token({ token, error }) {
    const { resolve, reject } = this.answers.shift();
    if (error === undefined) resolve(token);
    else reject(new Error(error));
  }

  send({ key, receiver, receiverType, data }) {
    if (hasStore) return this.sendFromStore({ key, receiver, receiverType, data });
    this.client.send({ receiver, receiverType, data }).then(
      ({ id }) => say("sent", { key, id }),
      ({ code }) => say("failed", { key, code }),
    );
  }

  sendFromStore({ key, receiver, receiverType, data }) {
    const to = receiverType === "group" ? { guid: receiver } : { uid: receiver };
    const conversationId = this.chat.open(to);
    waiting.set(this.chat.send(to, { data }).key, { key, conversationId });
    this.watch(conversationId);
  }

  /** Reports what becomes of messages of a conversation, also of those from before a restart. */
  watch(conversationId) {
    const query = this.chat.messages(conversationId);
    const look = () => {
      for (const { key: muid, id, local } of query.get().messages) {
        const { key } = waiting.get(muid) ?? {};
        if (key === undefined || this.isGone || local?.state === "sending") continue;
        waiting.delete(muid);
        if (local) say("failed", { key, code: local.error.code });
        else say("sent", { key, id });
      }
    };
    if (!this.watched.has(conversationId)) query.subscribe(look);
    this.watched.add(conversationId);
  }

  tellMessages({ receiver, receiverType }) {
    const query = this.chat.messages(this.chat.open(receiverType === "group" ? { guid: receiver } : { uid: receiver }));
    const { messages } = query.get();
    say("messages", { messages: messages.map(({ id, muid }) => ({ id, muid })) });
  }

  call({ key, method, params }) {
    this.client.call(method, params).then(
      (data) => say("reply", { key, data }),
      ({ code }) => (code === "ERR_OUTCOME_UNKNOWN" ? say("unknown", { key }) : say("reply", { key, error: { code } })),
    );
  }
}

/** The time of a clock that runs `speed` times as fast. */
function timeOf(speed) {
  return {
    now: () => performance.now() * speed,
    after: (milliseconds, then) => {
      const timer = setTimeout(then, milliseconds / speed);
      return () => clearTimeout(timer);
    },
  };
}

/** What was sent and is not settled: the suite's name, by the muid. */
const waiting = new Map();
let settings;
let driver;

async function begin() {
  driver = new Driver(settings);
  await driver.open();
  if (hasStore) driver.watch(driver.chat.open({ uid: "ben" })); // whom the suite writes to
}

const ACTIONS = {
  start: (line) => {
    settings = line;
    return begin();
  },
  connect: () => driver.connect(),
  disconnect: () => driver.client.disconnect(),
  token: (line) => driver.token(line),
  send: (line) => driver.send(line),
  call: (line) => driver.call(line),
  messages: (line) => driver.tellMessages(line),
  online: () => network.dispatchEvent(new Event("online")),
  restart: async () => {
    driver.isGone = true;
    driver.client.disconnect();
    await begin();
    say("restarted");
  },
};

const more = hasStore ? ["store", "messages"] : [];
say("ready", { capabilities: ["lists", "queue", "calls", "online", "waits", ...more] });
for await (const line of createInterface({ input: process.stdin })) {
  const said = JSON.parse(line);
  await ACTIONS[said.do]?.(said);
}
process.exit(0);
