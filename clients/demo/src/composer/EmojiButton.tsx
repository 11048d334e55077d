/** Opens the emoji beside the line to write in. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { IconButton } from "../parts/IconButton.js";
import { Popover } from "../parts/Popover.js";
import { EmojiPicker } from "./EmojiPicker.js";

export function EmojiButton({ onPick }: { onPick: (emoji: string) => void }): VNode {
  const [isOpen, setOpen] = useState(false);
  const pick = (emoji: string): void => {
    setOpen(false);
    onPick(emoji);
  };
  return (
    <div class="popover-place">
      <IconButton icon="emoji" label="Emoji" isExpanded={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <Popover label="Emoji" onClose={() => setOpen(false)}>
          <EmojiPicker onPick={pick} />
        </Popover>
      )}
    </div>
  );
}
