/** A program that uses the client and the store, compiled against the package as it is published. */

import { Client, ClientError, type ErrorCode, type EventFrame, type Message, type State } from "@hubbub/client";
import { openChat, type Chat, type ConversationView, type MessageView, type Query, type Status } from "@hubbub/client/store";

const client = new Client({
  url: "https://chat.example.com/v3",
  fetchToken: () => Promise.resolve("token"),
  appId: "app",
  presence: "friends",
});

export async function useClient(file: File): Promise<string> {
  const ends: (() => void)[] = [
    client.on("state", (state: State) => state.name === "ended" && console.log(state.code, state.reason)),
    client.on("event", (frame: EventFrame) => console.log(frame.event, frame.at)),
    client.on("message_sent", ({ message }) => console.log(message.id, message.sender)),
    client.on("typing_started", ({ sender }) => console.log(sender)),
  ];
  client.connect();
  const { data } = await client.request<Message[]>("GET", "/users/ben/messages", { query: { limit: 10 } });
  await client.call("mark_read", { receiver: "ben", receiverType: "user" });
  try {
    await client.send({ receiver: "hikers", receiverType: "group", data: { text: "Hello" }, files: [file] });
  } catch (error) {
    const code: ErrorCode = "ERR_GUID_NOT_FOUND";
    if (!(error instanceof ClientError) || error.code !== code) throw error;
  }
  ends.forEach((end) => end());
  client.disconnect();
  return data[0]?.id ?? "";
}

export async function useStore(files: File[]): Promise<void> {
  const chat: Chat = await openChat(client, { uid: "anna", storage: "indexeddb", tabs: true });
  const status: Query<Status> = chat.status;
  const conversations: Query<readonly ConversationView[]> = chat.conversations();
  const id = chat.open({ guid: "hikers" });
  const messages = chat.messages(id);
  const end = messages.subscribe(() => show(messages.get().messages));
  if (messages.get().hasOlder) await messages.loadOlder();
  const isThere: boolean = await messages.loadAround("1");
  for (const gap of messages.get().gaps) if (isThere && gap.after !== gap.before) await messages.loadGap(gap, "after");
  const endEvents = [
    chat.on("message_sent", ({ message }, { at }) => console.log(textOf(message), at)),
    chat.on("event", ({ event }) => console.log(event)),
  ];
  endEvents.forEach((each) => each());
  const replies: number | undefined = chat.replies("1").get();
  const sent: MessageView = chat.send({ guid: "hikers" }, { text: "Hello", files, tags: ["a"] });
  if (sent.local?.state === "failed") chat.retry(sent.key);
  else chat.discard(sent.key);
  await chat.edit("1", { text: "Hello!" });
  await chat.react("1", "👍");
  await chat.unreact("1", "👍");
  await chat.interact("1", ["button"]);
  await chat.delete("1");
  await chat.stop("2");
  chat.type(id);
  chat.markRead(id);
  const found: readonly MessageView[] = await chat.search("Hello", { conversationId: id });
  const link: string | undefined = await chat.link("1", 0);
  console.log(found, link, replies, status.get().queued, conversations.get()[0]?.typing[0]?.name, chat.presence("ben").get());
  console.log(chat.thread("1").get().messages.length, chat.me.get()?.name, chat.conversation(id).get()?.unreadMessageCount);
  end();
  await chat.close();
  await chat.erase();
}

function textOf(message: EventFrame<"message_sent">["data"]["message"]): string {
  // @ts-expect-error Not every message has a text.
  void message.data.text;
  return message.category === "message" ? (message.data.text ?? "") : message.category;
}

function show(messages: readonly MessageView[]): void {
  for (const { key, id, sender, data, local } of messages) console.log(key, id, sender, data.text, local?.progress);
}
