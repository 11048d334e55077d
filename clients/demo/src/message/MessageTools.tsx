/** What can be done with a message. */

import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { dataOf } from "../chat/data.js";
import { go } from "../chat/place.js";
import type { MessageView } from "../chat/types.js";
import { EmojiPicker } from "../composer/EmojiPicker.js";
import { Floating } from "../parts/Floating.js";
import { IconButton } from "../parts/IconButton.js";
import { tellProblem } from "../parts/Toast.js";
import { toggleReaction } from "./Reactions.js";
import { RemindMe } from "./RemindMe.js";
import { SeenBy } from "./SeenBy.js";

interface Props {
  message: MessageView;
  isMine: boolean;
  isGroup: boolean;
  isThread: boolean;
  onEdit: (message: MessageView) => void;
  onQuote: ((message: MessageView) => void) | undefined;
}

type Layer = "emoji" | "remind" | "seen" | "delete" | undefined;

export function MessageTools({ message, isMine, isGroup, isThread, onEdit, onQuote }: Props): VNode {
  const { chat } = useSession();
  const [layer, setLayer] = useState<Layer>();
  const tools = useRef<HTMLDivElement>(null);
  const id = message.id ?? "";
  const { text, growing } = dataOf(message);
  const toggle = (wanted: Layer): void => setLayer(layer === wanted ? undefined : wanted);
  const close = (): void => {
    // The layer takes the focus with it, which belongs to the message.
    if (tools.current?.contains(document.activeElement)) {
      tools.current.closest<HTMLElement>(".message")?.focus({ preventScroll: true });
    }
    setLayer(undefined);
  };
  const thread = { conversation: message.conversationId, panel: "thread", message: id } as const;
  const remove = (): void => {
    close();
    chat.delete(id).catch(tellProblem);
  };
  return (
    <div ref={tools} class="tools" role="toolbar" aria-label="Message">
      <IconButton icon="emoji" label="React" isExpanded={layer === "emoji"} onClick={() => toggle("emoji")} />
      {!isThread && <IconButton icon="thread" label="Reply in thread" onClick={() => go(thread)} />}
      {onQuote && <IconButton icon="quote" label="Quote" onClick={() => onQuote(message)} />}
      {text && (
        <IconButton icon="copy" label="Copy text" onClick={() => navigator.clipboard.writeText(text).catch(tellProblem)} />
      )}
      <IconButton icon="bell" label="Remind me" isExpanded={layer === "remind"} onClick={() => toggle("remind")} />
      {isMine && text !== undefined && !growing && (
        <IconButton icon="edit" label="Edit" onClick={() => onEdit(message)} />
      )}
      {isMine && isGroup && (
        <IconButton icon="checks" label="Seen by" isExpanded={layer === "seen"} onClick={() => toggle("seen")} />
      )}
      {isMine && <IconButton icon="trash" label="Delete" isExpanded={layer === "delete"} onClick={() => toggle("delete")} />}
      {layer === "emoji" && (
        <Floating anchor={tools.current} label="Choose a reaction" onClose={close}>
          <EmojiPicker
            onPick={(emoji) => {
              close();
              toggleReaction(chat, message, emoji);
            }}
          />
        </Floating>
      )}
      {layer === "remind" && (
        <Floating anchor={tools.current} label="Remind me" onClose={close}>
          <RemindMe id={id} onDone={close} />
        </Floating>
      )}
      {layer === "seen" && (
        <Floating anchor={tools.current} label="Seen by" onClose={close}>
          <SeenBy id={id} />
        </Floating>
      )}
      {layer === "delete" && (
        <Floating anchor={tools.current} label="Delete this message" onClose={close}>
          <div class="confirm">
            <p>Delete this message for everyone?</p>
            <button type="button" class="button is-danger" onClick={remove}>
              Delete
            </button>
            <button type="button" class="button" onClick={close}>
              Keep it
            </button>
          </div>
        </Floating>
      )}
    </div>
  );
}
