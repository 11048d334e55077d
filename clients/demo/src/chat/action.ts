/** The sentence about a change of a group's members. */

import { dataOf } from "./data.js";
import type { MessageView } from "./types.js";

const SENTENCES: Record<string, string> = {
  joined: "{by} joined",
  left: "{by} left",
  added: "{by} added {on}",
  kicked: "{by} removed {on}",
  banned: "{by} banned {on}",
  unbanned: "{by} unbanned {on}",
  scopeChanged: "{by} made {on} {scope}",
};

export function actionText(message: MessageView, uid: string): string {
  const { action = "", entities } = dataOf(message);
  const by = entities?.by?.entity;
  const on = entities?.on?.entity;
  const name = (person: { uid: string; name: string } | undefined, self: string): string =>
    person === undefined ? "Somebody" : person.uid === uid ? self : person.name;
  return (SENTENCES[action] ?? "{by} changed the group")
    .replace("{by}", name(by, "You"))
    .replace("{on}", name(on, "you"))
    .replace("{scope}", on?.scope ?? "a member");
}
