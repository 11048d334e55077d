/** The line below a message's content: edited, when, and how far it is. */

import type { VNode } from "preact";

import type { MessageView } from "../chat/types.js";
import { isoText, timeText, wholeText } from "../text/time.js";
import { Receipt } from "./Receipt.js";

interface Props {
  message: MessageView;
  isMine: boolean;
}

export function MessageFooter({ message, isMine }: Props): VNode {
  return (
    <span class="message-footer">
      {message.editedAt && !message.deletedAt ? <span>edited</span> : null}
      <time dateTime={isoText(message.sentAt)} title={wholeText(message.sentAt)}>
        {timeText(message.sentAt)}
      </time>
      {isMine && <Receipt message={message} />}
    </span>
  );
}
