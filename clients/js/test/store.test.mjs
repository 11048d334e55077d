/**
 * After any history of events, cuts, reloads, crashes and lost positions the store shows what a fresh client reads.
 *
 * CHAT_URL and CHAT_KEY are those of a running node; CHAT_HISTORIES and CHAT_SEED say how many histories, and from which.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import "fake-indexeddb/auto";
import WebSocket from "ws";
import { Client } from "../dist/index.js";
import { openChat } from "../dist/store/index.js";
import { openIndexedDb } from "../dist/store/indexeddb.js";

const URL_ = process.env.CHAT_URL;
const KEY = process.env.CHAT_KEY;
const HISTORIES = Number(process.env.CHAT_HISTORIES ?? 20);
const SEED = Number(process.env.CHAT_SEED ?? 1);
const STEPS = 30;
const PATIENCE_MS = 60_000;
const COUNT = "count=true&hideDeleted=true&categories=message,custom,interactive";

/** Numbers that look random and are the same for a seed (mulberry32). */
function chance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, pick: (list) => list[Math.floor(next() * list.length)] };
}

/** Makes a call with the key, by a user; resolves with the data, or nothing if it is refused. */
async function call(method, path, body, uid) {
  const headers = { apikey: KEY, "Content-Type": "application/json", ...(uid ? { onBehalfOf: uid } : {}) };
  const response = await fetch(URL_ + path, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(response.status < 500, `${method} ${path}: ${response.status}`);
  return (await response.json()).data;
}

/** Three people, a group of them, and the store of one of them. */
class World {
  constructor(seed) {
    const name = `h${seed}x${Date.now().toString(36)}`;
    this.random = chance(seed);
    this.me = `${name}a`;
    this.others = [`${name}b`, `${name}c`];
    this.guid = `${name}g`;
    this.database = name;
    this.log = [];
    this.sent = [];
    this.replies = [];
    this.counted = new Set();
    this.countsReplies = seed % 2 === 0;
  }

  async begin() {
    for (const uid of [this.me, ...this.others]) await call("POST", "/users", { uid, name: uid });
    await call("POST", "/groups", { guid: this.guid, name: "Group", type: "public", owner: this.others[0] });
    await call("POST", `/groups/${this.guid}/members`, { participants: [this.me, this.others[1]] });
    await this.open();
  }

  async open() {
    const world = this;
    this.sockets = [];
    this.isDead = false;
    class Cuttable extends WebSocket {
      constructor(url) {
        super(url);
        world.sockets.push(this);
      }
    }
    const fetchToken = async () => (await call("POST", `/users/${this.me}/auth_tokens`)).authToken;
    this.client = new Client({ url: URL_, fetchToken, WebSocket: Cuttable });
    const storage = async () => {
      const real = await openIndexedDb(this.database);
      // A browser that has crashed writes no more.
      return { ...real, write: (changes) => (world.isDead ? Promise.resolve() : real.write(changes)) };
    };
    this.chat = await openChat(this.client, { uid: this.me, tabs: false, storage, countsReplies: this.countsReplies });
    this.lists = [this.chat.open({ uid: this.others[0] }), this.chat.open({ guid: this.guid })].map((id) => {
      const query = this.chat.messages(id);
      query.subscribe(() => undefined);
      return query;
    });
    for (const id of this.counted) this.count(id);
  }

  /** Has the replies to a message counted. */
  count(id) {
    this.counted.add(id);
    this.chat.replies(id).subscribe(() => undefined);
  }

  cut() {
    for (const socket of this.sockets.splice(0)) socket.terminate();
  }

  /** Ends the page: with its last writes, or in the midst of them. */
  async reload(isCrash) {
    this.isDead = isCrash;
    await this.chat.close();
    await this.open();
  }

  receiver() {
    const { pick } = this.random;
    const uid = pick(this.others);
    return pick([{ by: this.me, uid }, { by: uid, uid: this.me }, { by: uid, guid: this.guid }, { by: this.me, guid: this.guid }]);
  }

  async send(more = {}) {
    const to = this.receiver();
    const receiver = to.guid ?? to.uid;
    const body = { receiver, receiverType: to.guid ? "group" : "user", data: { text: `text ${this.log.length}` }, ...more };
    const message = await call("POST", "/messages", body, to.by);
    if (message) this.sent.push({ ...message, to });
  }

  one() {
    return this.random.pick(this.sent);
  }
}

const STEPS_OF = {
  send: (world) => world.send(),
  several: async (world) => {
    for (let count = 0; count < 5; count++) await world.send();
  },
  quote: (world) => world.one() && world.send({ quotedMessageId: world.one().id }),
  reply: async (world) => {
    const parent = world.one();
    if (!parent) return;
    if (world.random.next() < 0.7) world.count(parent.id);
    const reply = await call("POST", `/messages/${parent.id}/thread`, { data: { text: "a reply" } }, parent.sender);
    if (reply) world.replies.push(reply);
  },
  replyHere: (world) => {
    const parent = world.one();
    const to = parent?.to.guid ? { guid: parent.to.guid } : { uid: world.others[0] };
    if (parent) world.chat.send(to, { text: "a reply from the store", parentId: parent.id });
  },
  removeReply: async (world) => {
    const reply = world.random.pick(world.replies);
    if (reply) await call("DELETE", `/messages/${reply.id}`, { permanent: world.random.next() < 0.6 }, reply.sender);
  },
  flood: async (world) => {
    for (let count = 0; count < 60; count++) await world.send();
  },
  edit: async (world) => {
    const message = world.one();
    if (message) await call("PUT", `/messages/${message.id}`, { data: { text: `edited ${world.log.length}` } }, message.sender);
  },
  remove: async (world) => {
    const message = world.one();
    if (message) await call("DELETE", `/messages/${message.id}`, { permanent: world.random.next() < 0.4 }, message.sender);
  },
  react: async (world) => {
    const message = world.one();
    const [reaction, by] = [world.random.pick(["👍", "❤"]), world.random.pick([world.me, ...world.others])];
    const method = world.random.next() < 0.7 ? "POST" : "DELETE";
    if (message) await call(method, `/messages/${message.id}/reactions/${encodeURIComponent(reaction)}`, undefined, by);
  },
  ask: (world) => {
    const data = { question: "Where to?", options: ["North", "South", "West"], votesPerUser: world.random.pick([1, 2]) };
    return world.send({ category: "interactive", type: "poll", data });
  },
  vote: async (world) => {
    const poll = world.random.pick(world.sent.filter(({ type }) => type === "poll"));
    if (!poll) return;
    const [options, by] = [[world.random.pick([0, 1, 2])], world.random.pick([world.me, world.me, ...world.others])];
    const [method, path, body] = world.random.pick([
      ["POST", "votes", { options }],
      ["POST", "votes", { options }],
      ["DELETE", "votes"],
      ["POST", "votes/close"],
    ]);
    await call(method, `/messages/${poll.id}/${path}`, body, by);
  },
  voteHere: async (world) => {
    const shown = world.lists.flatMap((list) => list.get().messages).filter(({ type, id }) => type === "poll" && id);
    const poll = world.random.pick(shown);
    if (!poll) return;
    const { chat } = world;
    const voting = world.random.pick([() => chat.vote(poll.id, [1]), () => chat.vote(poll.id, [2]), () => chat.unvote(poll.id)]);
    await voting().catch(() => undefined);
  },
  read: async (world) => {
    const by = world.random.pick([world.me, ...world.others]);
    const other = world.random.pick([world.me, ...world.others]);
    const [path, verb] = [world.random.pick([`/users/${other}`, `/groups/${world.guid}`]), world.random.pick(["read", "delivered"])];
    await call("POST", `${path}/conversation/${verb}`, {}, by);
  },
  markUnread: async (world) => {
    const message = world.one();
    const of = message?.to.guid ? `/groups/${world.guid}` : `/users/${world.others[0]}`;
    if (message) await call("DELETE", `${of}/conversation/read`, { messageId: message.id }, world.me);
  },
  reset: (world) => call("DELETE", `/users/${world.others[0]}/conversation`, undefined, world.me),
  pin: async (world) => {
    const message = world.one();
    if (message) await call(world.random.pick(["PUT", "POST", "DELETE"]), `/messages/${message.id}/pin`, undefined, message.sender);
  },
  members: async (world) => {
    const path = `/groups/${world.guid}`;
    await world.random.pick([
      () => call("DELETE", `${path}/members/${world.me}`, undefined, world.others[0]),
      () => call("POST", `${path}/bannedusers/${world.me}`, undefined, world.others[0]),
      () => call("DELETE", `${path}/bannedusers/${world.me}`, undefined, world.others[0]),
      () => call("POST", `${path}/members`, { participants: [world.me] }),
      () => call("POST", `${path}/members`, { participants: [world.me] }),
      () => call("PUT", path, { name: `Group ${world.log.length}` }),
      () => call("PUT", `${path}/members/${world.others[1]}`, { scope: world.random.pick(["admin", "participant"]) }),
    ])();
  },
  block: async (world) => {
    const method = world.random.pick(["POST", "DELETE"]);
    await call(method, `/users/${world.me}/blockedusers`, { blockedUids: [world.others[1]] });
  },
  sendHere: (world) => {
    const to = world.random.pick([{ uid: world.others[0] }, { guid: world.guid }]);
    world.chat.send(to, { text: `from the store ${world.log.length}` });
  },
  changeHere: async (world) => {
    const message = world.random.pick(world.lists)?.get().messages.at(-1);
    if (!message?.id) return;
    const { chat } = world;
    const acts = [() => chat.edit(message.id, { text: "edited here" }), () => chat.delete(message.id), () => chat.react(message.id, "👍")];
    const change = world.random.pick(acts)().catch(() => undefined);
    if (world.random.next() < 0.5) await change;
  },
  readHere: (world) => world.chat.markRead(world.random.pick(world.lists).source.list),
  older: (world) => void world.random.pick(world.lists).loadOlder(),
  jump: async (world) => {
    const [message, list] = [world.one(), world.random.pick(world.lists)];
    const jumping = message && list.loadAround(message.id).catch(() => false);
    if (world.random.next() < 0.5) await jumping;
  },
  fill: (world) => {
    const list = world.random.pick(world.lists);
    const gap = world.random.pick(list.get().gaps);
    if (gap) void list.loadGap(gap, world.random.pick(["after", "before"]));
  },
  cut: (world) => world.cut(),
  loseCursor: (world) => {
    world.client.cursor = "1-1";
    world.cut();
  },
  reload: (world) => world.reload(false),
  crash: (world) => world.reload(true),
  pause: () => new Promise((resume) => setTimeout(resume, 20)),
};
const NAMES = [...Object.keys(STEPS_OF), "send", "send", "send", "several", "reply", "fill", "edit", "react", "pause"];

/** What differs without being out of date: how people looked then, and when all of a group had something. */
function comparable(message) {
  if (!message) return undefined;
  const { data: { entities: _, mentions, ...data } = {}, key, local, isChanging, quotedMessage, ...rest } = message;
  const times = rest.receiverType === "group" ? {} : { deliveredAt: rest.deliveredAt, readAt: rest.readAt };
  return { ...rest, deliveredAt: undefined, readAt: undefined, ...times, data, quotedMessage: comparable(quotedMessage) };
}

function comparableConversation({ typing, conversationWith, unreadMessageCount, lastMessage, ...rest }) {
  const { uid, guid, name, membersCount, blockedByMe, scope } = conversationWith;
  return {
    ...rest,
    unread: Number(unreadMessageCount),
    with: { uid, guid, name, membersCount, blockedByMe, scope },
    lastMessage: comparable(lastMessage),
  };
}

const plain = (value) => JSON.parse(JSON.stringify(value));
const byId = (one, other) => (one.conversationId < other.conversationId ? -1 : 1);

/** Compares the store with what the server says; throws if they differ. */
async function compare(world) {
  const fresh = await call("GET", "/conversations?includeBlockedUsers=true&withTags=true&perPage=1000", undefined, world.me);
  const shown = world.chat.conversations().get();
  assert.deepEqual(plain(shown.map(comparableConversation).sort(byId)), plain(fresh.map(comparableConversation).sort(byId)));
  for (const { source, ...list } of world.lists.map((query) => ({ source: query.source, view: query.get() }))) {
    const path = source.guid ? `/groups/${source.guid}` : `/users/${source.uid}`;
    const there = (await call("GET", `${path}/messages?affix=prepend&limit=1000&hideReplies=true`, undefined, world.me)) ?? [];
    const held = list.view.messages.filter(({ local }) => local?.state !== "failed");
    assert.ok(held.length > 0 || there.length === 0, "the newest page is shown");
    assert.deepEqual(plain(held.map(comparable)), plain(expected(list.view, held, there).map(comparable)));
  }
  for (const id of world.counted) {
    const fresh = await call("GET", `/messages/${id}/thread?${COUNT}`, undefined, world.me);
    assert.equal(world.chat.replies(id).get(), fresh && Number(fresh[0]?.count ?? 0), `replies to ${id}`);
  }
}

/** What the server has of that which is held: all but what is before it, and in its gaps. */
function expected({ hasOlder, gaps }, held, there) {
  const place = (id) => there.findIndex((message) => message.id === id);
  const from = hasOlder ? place(held[0]?.id) : 0;
  assert.ok(from >= 0 || there.length === 0);
  return there.filter((_, at) => at >= from && !gaps.some(({ after, before }) => at > place(after) && at < place(before)));
}

async function settled(world) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await compare(world);
    } catch (difference) {
      if (Date.now() > until) throw difference;
      await new Promise((resume) => setTimeout(resume, 100));
    }
  }
}

test("after any history the store shows what a fresh client reads", { concurrency: true }, async (context) => {
  const seeds = Array.from({ length: HISTORIES }, (_, index) => SEED + index);
  const run = async (seed) => {
    const world = new World(seed);
    await world.begin();
    try {
      for (let step = 0; step < STEPS; step++) {
        const name = world.random.pick(NAMES);
        world.log.push(name);
        await STEPS_OF[name](world);
      }
      await settled(world);
    } catch (error) {
      console.error(`history ${seed}: ${world.log.join(" ")}`, world.chat.status.get());
      throw error;
    } finally {
      await world.chat.close();
    }
  };
  const workers = Array.from({ length: 8 }, async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await run(seed);
  });
  await Promise.all(workers);
  context.diagnostic(`${HISTORIES} histories`);
});
