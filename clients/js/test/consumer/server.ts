/** A program that uses the server entry, compiled against the package as it is published. */

import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import {
  Server,
  ServerError,
  verifyWebhook,
  WebhookError,
  type Message,
  type User,
  type WebhookEvent,
} from "@hubbub/client/server";

const chat = new Server({ url: "http://127.0.0.1:8080/v3", apiKey: "key", timeout: 5_000, retries: 1 });

export async function useOperations(uid: string, picture: Blob): Promise<string[]> {
  const { data: user }: { data: User } = await chat.get("/users/{uid}", { path: { uid } });
  const { data, meta } = await chat.get("/users", { query: { tags: ["a", "b"], status: "available" } });
  const { data: token } = await chat.post("/users/{uid}/auth_tokens", { path: { uid } });
  await chat.post("/messages", {
    body: { receiver: "ben", receiverType: "user", data: { text: "Hello" } },
    onBehalfOf: uid,
    idempotencyKey: "hello-1",
  });
  await chat.post("/messages", {
    form: { receiver: "ben", receiverType: "user", type: "image", file: [picture] },
    onBehalfOf: uid,
    signal: AbortSignal.timeout(60_000),
    timeout: 60_000,
  });
  await chat.put("/users/{uid}", { path: { uid }, body: { name: "Olga" } });
  await chat.patch("/messages/{id}/interacted", { path: { id: "1" }, body: { interactions: ["yes"] } });
  await chat.delete("/users/{uid}", { path: { uid }, body: { permanent: true } });
  await chat.get("/triggers");
  return [user.name, data[0]?.name ?? "", `${meta.pagination.total}`, token.authToken];
}

export async function useLists(): Promise<[User[], Message[]]> {
  const [users, messages]: [User[], Message[]] = [[], []];
  for await (const user of chat.list("/users", { query: { perPage: 500 } })) users.push(user);
  for await (const message of chat.list("/messages", { query: { affix: "prepend" } })) messages.push(message);
  return [users, messages];
}

/** Each of these lines is one that the compiler must refuse. */
export async function misuse(): Promise<void> {
  // @ts-expect-error There is no such path.
  await chat.get("/user");
  // @ts-expect-error The path has a parameter.
  await chat.get("/users/{uid}");
  // @ts-expect-error The parameter has another name.
  await chat.get("/users/{uid}", { path: { id: "anna" } });
  // @ts-expect-error A user has a name.
  await chat.post("/users", { body: { uid: "anna" } });
  // @ts-expect-error A message is sent as a body or as a form.
  await chat.post("/messages", { onBehalfOf: "anna" });
  // @ts-expect-error One user is no list.
  chat.list("/users/{uid}", { path: { uid: "anna" } });
  // @ts-expect-error A list has rows, not counts.
  chat.list("/messages", { query: { count: true } });
  // @ts-expect-error This is no status.
  await chat.get("/users", { query: { status: "asleep" } });
}

export function explain(error: unknown): string {
  if (!(error instanceof ServerError)) return "unknown";
  if (error.code === "ERR_UID_NOT_FOUND") return "nobody";
  if (error.code === "NO_ANSWER") return "later";
  return `${error.status} ${error.code} ${error.requestId ?? ""} ${Object.values(error.details).flat().join(" ")}`;
}

export function tell(event: WebhookEvent): string {
  switch (event.trigger) {
    case "message_sent":
      return event.data.message.category === "message" ? (event.data.message.data.text ?? "") : "";
    case "group_member_joined":
      return event.data.group.guid;
    case "before_message":
      return event.data.message.sender;
    default:
      return event.id;
  }
}

createServer((request, response) => {
  void buffer(request)
    .then((body) => verifyWebhook({ body, headers: request.headers }, { secret: "whsec_AAAA" }))
    .then((event) => response.end(tell(event)))
    .catch((error: unknown) => response.writeHead(error instanceof WebhookError ? 401 : 500).end());
});

export async function POST(request: Request): Promise<Response> {
  return new Response(
    tell(await verifyWebhook(request, { secret: ["whsec_AAAA", "whsec_BBBB"], tolerance: 60 })),
  );
}
