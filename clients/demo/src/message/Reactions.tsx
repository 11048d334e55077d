/** The reactions to a message, with their counts; a click adds or removes one's own. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import type { Reaction } from "../chat/data.js";
import { dataOf } from "../chat/data.js";
import type { Chat, MessageView } from "../chat/types.js";
import { tellProblem } from "../parts/Toast.js";

export function toggleReaction(chat: Chat, message: MessageView, reaction: string): void {
  if (message.id === undefined) return;
  const isMine = dataOf(message).reactions?.some((each) => each.reaction === reaction && each.reactedByMe);
  const change = isMine ? chat.unreact(message.id, reaction) : chat.react(message.id, reaction);
  change.catch(tellProblem);
}

const labelOf = ({ reaction, count, reactedByMe }: Reaction): string =>
  `${reaction}, ${count}${reactedByMe ? ", yours" : ""}`;

export function Reactions({ message }: { message: MessageView }): VNode | null {
  const { chat } = useSession();
  const { reactions = [] } = dataOf(message);
  if (reactions.length === 0) return null;
  return (
    <div class="reactions" role="group" aria-label="Reactions">
      {reactions.map((each) => (
        <button
          key={each.reaction}
          type="button"
          aria-label={labelOf(each)}
          aria-pressed={each.reactedByMe ?? false}
          onClick={() => toggleReaction(chat, message, each.reaction)}
        >
          {each.reaction} <span>{each.count}</span>
        </button>
      ))}
    </div>
  );
}
