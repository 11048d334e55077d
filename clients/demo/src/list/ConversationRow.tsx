/** A conversation in the list: whom it is with, its last message, when, and what is unread. */

import type { VNode } from "preact";
import { useMemo } from "preact/hooks";

import { actionText } from "../chat/action.js";
import { useSession } from "../chat/context.js";
import { dataOf, isAction, isDeleted, isGroup, senderName } from "../chat/data.js";
import { go } from "../chat/place.js";
import type { ConversationView, MessageView } from "../chat/types.js";
import { Icon } from "../parts/Icon.js";
import { memo } from "../parts/memo.js";
import { OtherAvatar } from "../parts/OtherAvatar.js";
import { plainText } from "../text/parse.js";
import { isoText, shortText } from "../text/time.js";
import { namesOf } from "../chat/names.js";
import { draftText } from "../composer/useDraft.js";
import { useQuery } from "../hooks/useQuery.js";
import { Receipt } from "../message/Receipt.js";

interface Props {
  conversation: ConversationView;
  isSelected: boolean;
  uid: string;
  now: number;
}

const KINDS: Record<string, string> = {
  image: "Picture",
  video: "Video",
  audio: "Audio",
  file: "File",
  form: "Form",
  card: "Card",
  poll: "Poll",
};

function summary(message: MessageView, uid: string): string {
  if (isDeleted(message)) return "Message deleted";
  if (isAction(message)) return actionText(message, uid);
  const { text, interactiveData, attachments, growing, question } = dataOf(message);
  if (growing) return "Writing…";
  const names = namesOf(message);
  if (text) return plainText(text, (mentioned) => names[mentioned] ?? mentioned);
  if (question && message.type === "poll") return `Poll: ${question}`;
  return interactiveData?.title ?? interactiveData?.text ?? attachments?.[0]?.name ?? KINDS[message.type] ?? "Message";
}

function Preview({ conversation, isSelected, uid }: Omit<Props, "now">): VNode {
  const { chat } = useSession();
  const draft = useQuery(useMemo(() => chat.draft(conversation.conversationId), [chat, conversation.conversationId]));
  const { lastMessage: last, typing, conversationWith: other } = conversation;
  if (typing.length > 0) {
    const who = isGroup(other) ? `${typing.map(({ name }) => name).join(", ")} ` : "";
    return <span class="preview is-typing">{who}typing…</span>;
  }
  if (draft && !isSelected) {
    return (
      <span class="preview is-draft">
        <bdi>
          <em>Draft:</em> {draftText(draft)}
        </bdi>
      </span>
    );
  }
  if (last === undefined) return <span class="preview" />;
  const isMine = last.sender === uid;
  const who = isGroup(other) && !isAction(last) ? `${senderName(last, uid).split(" ")[0]}: ` : "";
  return (
    <span class="preview">
      {isMine && !isAction(last) && !isGroup(other) && <Receipt message={last} />}
      {last.local?.state === "failed" && <Icon name="alert" label="Not sent" />}
      <bdi>
        {who}
        {summary(last, uid)}
      </bdi>
    </span>
  );
}

export const ConversationRow = memo(function ConversationRow({ conversation, isSelected, uid, now }: Props): VNode {
  const { conversationWith: other, unreadMessageCount: unread, lastMessage: last } = conversation;
  return (
    <li>
      <button
        type="button"
        class="conversation-row"
        aria-current={isSelected ? "page" : undefined}
        onClick={() => go({ conversation: conversation.conversationId })}
      >
        <OtherAvatar other={other} />
        <span class="lines">
          <span class="line">
            <strong dir="auto">{other.name}</strong>
            {last && (
              <time class="faint" dateTime={isoText(last.sentAt)}>
                {shortText(last.sentAt, now)}
              </time>
            )}
          </span>
          <span class="line">
            <Preview conversation={conversation} isSelected={isSelected} uid={uid} />
            {unread > 0 && (
              <span class="badge">
                <span aria-hidden="true">{unread > 99 ? "99+" : unread}</span>
                <span class="visually-hidden">{unread} unread</span>
              </span>
            )}
          </span>
        </span>
      </button>
    </li>
  );
});
