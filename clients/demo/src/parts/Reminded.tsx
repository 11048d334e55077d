/** Says that it is time for a message of which the person wanted to be reminded, and leads there. */

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { senderName } from "../chat/data.js";
import { go } from "../chat/place.js";
import type { MessageView } from "../chat/types.js";
import { quoteText } from "../message/Quote.js";
import { Icon } from "./Icon.js";
import { IconButton } from "./IconButton.js";
import { tellNotice } from "./Toast.js";

const MOST = 3;

export function Reminded(): VNode {
  const { chat, uid } = useSession();
  const [due, setDue] = useState<readonly MessageView[]>([]);
  const drop = (id: string | undefined): void => setDue((all) => all.filter((each) => each.id !== id));
  useEffect(() => {
    const ends = [
      chat.on("user_reminded", (data) => {
        const message = data.message as MessageView;
        setDue((all) => [...all.filter(({ id }) => id !== message.id), message]);
      }),
      chat.on("scheduled_message_failed", ({ error }) => tellNotice(`A message could not be sent at its time: ${error.message}`)),
    ];
    return () => ends.forEach((end) => end());
  }, [chat]);
  const show = ({ id, parentId, conversationId }: MessageView): void => {
    drop(id);
    go({ conversation: conversationId, panel: parentId ? "thread" : "message", message: parentId ?? id ?? "" });
  };
  return (
    <div class="reminders" role="alert">
      {due.slice(-MOST).map((message) => (
        <div key={message.id} class="reminder">
          <Icon name="bell" />
          <span class="lines">
            <strong dir="auto">Reminder: {senderName(message, uid)}</strong>
            <span class="one-line" dir="auto">
              {quoteText(message)}
            </span>
          </span>
          <button type="button" class="button is-small" onClick={() => show(message)}>
            Show
          </button>
          <IconButton icon="close" label="Close this reminder" onClick={() => drop(message.id)} />
        </div>
      ))}
    </div>
  );
}
