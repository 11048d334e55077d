/** A message: its sender, its content, and what can be done with it while it is pointed at or has the focus. */

import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { dataOf, isDeleted, senderName } from "../chat/data.js";
import { namesOf } from "../chat/names.js";
import type { MessageView } from "../chat/types.js";
import { Avatar } from "../parts/Avatar.js";
import { memo } from "../parts/memo.js";
import { plainText } from "../text/parse.js";
import { timeText } from "../text/time.js";
import { MessageContent } from "./MessageContent.js";
import { MessageFooter } from "./MessageFooter.js";
import { MessageTools } from "./MessageTools.js";
import { Reactions } from "./Reactions.js";
import { ThreadLink } from "./ThreadLink.js";
import { Unsent } from "./Unsent.js";

interface Props {
  message: MessageView;
  /** Whether the one before is of the same sender and close. */
  isFollowing: boolean;
  isGroup: boolean;
  isThread: boolean;
  isFlashed: boolean;
  onEdit: (message: MessageView) => void;
  onQuote: ((message: MessageView) => void) | undefined;
}

/** Returns whether a text is a few emoji alone, which are shown large. */
const isOnlyEmoji = (text: string): boolean =>
  text.length < 24 && /^(?:\p{Extended_Pictographic}[\u{FE0F}\u{200D}\u{1F3FB}-\u{1F3FF}]*\s*){1,3}$/u.test(text);

function labelOf(message: MessageView, uid: string): string {
  const names = namesOf(message);
  const text = isDeleted(message) ? "deleted" : plainText(dataOf(message).text ?? "", (who) => names[who] ?? who);
  return `${senderName(message, uid)}, ${timeText(message.sentAt)}: ${text || message.type}`;
}

export const MessageRow = memo(function MessageRow(props: Props): VNode {
  const { message, isFollowing, isGroup, isThread, isFlashed } = props;
  const { uid } = useSession();
  const [isActive, setActive] = useState(false);
  const row = useRef<HTMLElement>(null);
  const isMine = message.sender === uid;
  const data = dataOf(message);
  const classes = [
    "message",
    isMine ? "is-mine" : "is-theirs",
    isFollowing ? "is-following" : "",
    isFlashed ? "is-flashed" : "",
    message.local ? `is-${message.local.state}` : "",
    message.isChanging ? "is-changing" : "",
    data.growing ? "is-growing" : "",
    isOnlyEmoji(data.text ?? "") && !data.attachments ? "is-emoji" : "",
  ];
  const deactivate = (event: FocusEvent | MouseEvent): void => {
    const next = event.relatedTarget as Node | null;
    if (!row.current?.contains(next) && !row.current?.contains(document.activeElement)) setActive(false);
    else if (event.type === "focusout" && !row.current?.contains(next)) setActive(false);
  };
  return (
    <article
      ref={row}
      class={classes.join(" ")}
      data-id={message.id}
      aria-label={labelOf(message, uid)}
      tabIndex={-1}
      onMouseEnter={() => setActive(true)}
      onMouseLeave={deactivate}
      onFocusIn={() => setActive(true)}
      onFocusOut={deactivate}
    >
      {!isMine && isGroup && (
        <span class="message-avatar">
          {!isFollowing && <Avatar id={message.sender} name={senderName(message, uid)} size="small" />}
        </span>
      )}
      <div class="message-column">
        {isActive && message.id !== undefined && !isDeleted(message) && (
          <MessageTools
            message={message}
            isMine={isMine}
            isGroup={isGroup}
            isThread={isThread}
            onEdit={props.onEdit}
            onQuote={props.onQuote}
          />
        )}
        {!isMine && isGroup && !isFollowing && (
          <span class="message-sender" dir="auto">
            {senderName(message, uid)}
          </span>
        )}
        <div class="bubble">
          <div class="content" dir="auto">
            <MessageContent message={message} />
            <MessageFooter message={message} isMine={isMine} />
          </div>
        </div>
        {!isDeleted(message) && <Reactions message={message} />}
        {!isThread && message.id !== undefined && <ThreadLink id={message.id} conversationId={message.conversationId} />}
        {message.local && <Unsent message={message} />}
      </div>
    </article>
  );
});
