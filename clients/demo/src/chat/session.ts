/** Signs a person in: the client with their token, and the store on top of it. */

import { Client } from "@hubbub/client";
import { openChat } from "@hubbub/client/store";

import { fetchToken } from "./people.js";
import type { RestAnswer, RestOptions, Session } from "./types.js";

export async function openSession(uid: string): Promise<Session> {
  const client = new Client({
    url: `${location.origin}/v3`,
    appId: "demo",
    fetchToken: () => fetchToken(uid),
    presence: "all",
  });
  const chat = await openChat(client, { uid, countsReplies: true });
  // Through the store, since a tab that has no socket of its own calls, too.
  const rest = async <T>(method: string, path: string, options: RestOptions = {}): Promise<RestAnswer<T>> =>
    (await chat.request(method, path, options)) as RestAnswer<T>;
  return { uid, client, chat, rest };
}
