/**
 * A first chat, with a client of openapi-typescript and openapi-fetch.
 *
 * Anna sends Ben a text, an image and a form; Ben reads them.
 *
 *     node build/first_chat.js http://127.0.0.1:8080 KEY
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./hubbub.js";

type Hubbub = Client<paths>;
type Message = components["schemas"]["Message"];
type Form = components["schemas"]["Form"];

type Refusal = components["schemas"]["ErrorBody"];

const PICTURE = new URL("../../garden.png", import.meta.url);
const FORM: Form = {
  title: "What shall we plant?",
  formFields: [{ elementType: "textInput", elementId: "plant", label: "A plant" }],
  submitElement: {
    elementType: "button",
    elementId: "send",
    buttonText: "Send",
    action: { actionType: "customAction" },
  },
};

/** The server refused a call; `code` says why. */
class Refused extends Error {
  readonly code: string;

  constructor(refusal?: Refusal) {
    super(refusal?.error.message);
    this.code = refusal?.error.code ?? "";
  }
}

/** Return the answer of a call, or throw the error that it was refused with. */
function accepted<Answer>({ data, error }: { data?: Answer; error?: Refusal }): Answer {
  if (data === undefined) throw new Refused(error);
  return data;
}

/** Return a client that acts with an API key (`apikey`) or an auth token (`authToken`). */
function connect(url: string, credentials: { apikey: string } | { authToken: string }): Hubbub {
  return createClient<paths>({ baseUrl: `${url}/v3`, headers: credentials });
}

/** Create a user; return a client that acts as this user. */
async function join(app: Hubbub, url: string, uid: string, name: string): Promise<Hubbub> {
  accepted(await app.POST("/users", { body: { uid, name } }));
  const path = { uid };
  const token = accepted(await app.POST("/users/{uid}/auth_tokens", { params: { path } }));
  return connect(url, { authToken: token.data.authToken });
}

async function sendText(sender: Hubbub, receiver: string, text: string): Promise<void> {
  const body = { receiver, receiverType: "user", data: { text } } as const;
  accepted(await sender.POST("/messages", { body }));
}

/** Upload a picture with its message: a part for each field, and one for the file. */
async function sendImage(sender: Hubbub, receiver: string, picture: URL): Promise<void> {
  const file = new Blob([await readFile(picture)], { type: "image/png" });
  const body = { receiver, receiverType: "user", type: "image" } as const;
  const bodySerializer = () => {
    const form = new FormData();
    for (const [field, value] of Object.entries(body)) form.append(field, value);
    form.append("file", file, "garden.png");
    return form;
  };
  accepted(await sender.POST("/messages", { body, bodySerializer }));
}

async function sendForm(sender: Hubbub, receiver: string): Promise<void> {
  accepted(
    await sender.POST("/messages", {
      body: {
        receiver,
        receiverType: "user",
        category: "interactive",
        type: "form",
        data: { interactiveData: FORM },
      },
    }),
  );
}

/** Return what a message says, by its category and type. */
function described(message: Message): string {
  if (message.category === "message" && message.type === "text") {
    return `Anna wrote: ${message.data.text}`;
  }
  if (message.category === "message" && message.type === "image") {
    const files = message.data.attachments ?? [];
    const pictures = files.map(({ name, width, height }) => `${name}, ${width} x ${height}`);
    return `Anna sent an image: ${pictures.join("; ")}`;
  }
  if (message.category === "interactive" && message.type === "form") {
    return `Anna sent a form: ${message.data.interactiveData?.title}`;
  }
  return "A message of another kind";
}

async function main(url: string, key: string): Promise<void> {
  const app = connect(url, { apikey: key });
  const run = randomUUID();
  const annaId = `anna-${run}`;
  const benId = `ben-${run}`;
  const anna = await join(app, url, annaId, "Anna");
  const ben = await join(app, url, benId, "Ben");

  await sendText(anna, benId, "Look at my garden!");
  await sendImage(anna, benId, PICTURE);
  await sendForm(anna, benId);

  const conversations = accepted(await ben.GET("/conversations"));
  for (const { conversationWith, unreadMessageCount } of conversations.data) {
    console.log(`Ben has ${unreadMessageCount} unread messages from ${conversationWith.name}.`);
  }
  const path = { uid: annaId };
  const messages = accepted(await ben.GET("/users/{uid}/messages", { params: { path } }));
  for (const message of messages.data) {
    if ("id" in message) console.log(described(message));
  }

  try {
    await sendText(anna, `nobody-${run}`, "Is anybody there?");
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "ERR_UID_NOT_FOUND") throw error;
    console.log(`Nobody is there: ${error.code}`);
  }
}

const [url, key] = process.argv.slice(2);
if (url === undefined || key === undefined) throw new Error("Give a server's address and a key.");
await main(url, key);
