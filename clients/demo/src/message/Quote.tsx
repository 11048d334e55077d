/** The message that another one quotes; a click leads there. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import { dataOf, isDeleted, senderName } from "../chat/data.js";
import { namesOf } from "../chat/names.js";
import { go } from "../chat/place.js";
import type { MessageView } from "../chat/types.js";
import { plainText } from "../text/parse.js";

export function quoteText(message: MessageView): string {
  if (isDeleted(message)) return "Message deleted";
  const names = namesOf(message);
  const { text, attachments } = dataOf(message);
  return text ? plainText(text, (uid) => names[uid] ?? uid) : (attachments?.[0]?.name ?? message.type);
}

export function Quote({ message, conversationId }: { message: MessageView; conversationId: string }): VNode {
  const { uid } = useSession();
  const show = (): void => go({ conversation: conversationId, panel: "message", message: message.id ?? "" });
  return (
    <button type="button" class="quote" onClick={show}>
      <strong dir="auto">{senderName(message, uid)}</strong>
      <span dir="auto">{quoteText(message)}</span>
    </button>
  );
}
