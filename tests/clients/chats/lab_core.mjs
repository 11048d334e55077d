/** The store with no look, for tests: what happens in it is asked for by expressions about `lab`. */

import { Client } from "../../../clients/js/dist/index.js";
import { openChat } from "../../../clients/js/dist/store/index.js";

/** Opens the store of somebody; `Real` is the WebSocket of the platform, `isOnline` says whether there is a network. */
export async function openLab({ url, uid, fetchToken, Real, isOnline = () => true }) {
  const open = new Set();

  /** A socket that can be lost with all that is on its way. */
  class Cuttable {
    onopen = null;
    onmessage = null;
    onclose = null;
    onerror = null;

    constructor(address) {
      this.real = new Real(isOnline() ? address : "ws://127.0.0.1:1");
      this.real.onopen = (event) => this.onopen?.(event);
      this.real.onmessage = (event) => this.onmessage?.(event);
      this.real.onclose = ({ code, reason }) => this.end(code, reason);
      this.real.onerror = (event) => this.onerror?.(event);
      open.add(this);
    }

    get readyState() {
      return this.real.readyState;
    }

    send(text) {
      this.real.send(text);
    }

    close(code, reason) {
      open.delete(this);
      this.real.close(code, reason);
    }

    end(code, reason) {
      open.delete(this);
      this.onclose?.({ code, reason });
    }

    cut() {
      this.real.onopen = this.real.onmessage = this.real.onclose = null;
      this.real.close();
      this.end(1006, "");
    }
  }

  const client = new Client({ url: `${url}/v3`, fetchToken, WebSocket: Cuttable });
  const chat = await openChat(client, { uid });
  const lists = new Map();

  /** Keeps the messages of a conversation up to date; returns its query. */
  function watch(to) {
    const id = chat.open(to);
    if (!lists.has(id)) {
      lists.set(id, chat.messages(id));
      lists.get(id).subscribe(() => undefined);
    }
    return lists.get(id);
  }

  const messages = (to) => watch(to).get().messages.filter(({ category }) => category === "message");
  const texts = (to) => messages(to).map(({ data }) => data.text);
  const stored = (to) => messages(to).flatMap(({ id, data }) => (id === undefined ? [] : [data.text]));
  const cut = () => [...open].forEach((socket) => socket.cut());
  const status = () => chat.status.get();

  /** Loads all messages of a conversation; returns them, as they are shown. */
  async function everything(to) {
    const query = watch(to);
    while (query.get().hasOlder && !query.get().error) await query.loadOlder();
    return query.get().messages;
  }

  const heard = [];

  /** Notes each message that is told, by its name and among all, and whether the conversation shows it then. */
  function hear(to) {
    const named = [];
    chat.on("message_sent", ({ message }) => named.push(message.data.text));
    chat.on("event", ({ event, data }) => {
      if (event !== "message_sent") return;
      const { text } = data.message.data;
      const was_shown = texts(to).includes(text);
      queueMicrotask(() => heard.push({ named: named.at(-1), of_all: text, was_shown }));
    });
  }

  const unread = (to) => chat.conversation(chat.open(to)).get()?.unreadMessageCount;
  return { chat, client, cut, watch, messages, texts, stored, status, everything, unread, hear, heard };
}
