/** What the line above the text says: which message is edited, or quoted. */

import type { VNode } from "preact";

import type { MessageView } from "../chat/types.js";
import { Icon } from "../parts/Icon.js";
import { IconButton } from "../parts/IconButton.js";
import { quoteText } from "../message/Quote.js";

interface Props {
  message: MessageView;
  isEdit: boolean;
  onClose: () => void;
}

export function ComposerNote({ message, isEdit, onClose }: Props): VNode {
  return (
    <div class="composer-note">
      <Icon name={isEdit ? "edit" : "quote"} />
      <span class="lines">
        <strong>{isEdit ? "Edit message" : "Quote"}</strong>
        <span class="faint one-line" dir="auto">
          {quoteText(message)}
        </span>
      </span>
      <IconButton icon="close" label={isEdit ? "Stop editing" : "Do not quote"} onClick={onClose} />
    </div>
  );
}
