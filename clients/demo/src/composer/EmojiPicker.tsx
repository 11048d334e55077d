/** A small set of emoji with a search. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { findEmoji } from "../text/emoji.js";

const COLUMNS = 8;
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };

/** Moves the focus in the grid. */
function move(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".emoji-grid button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  if (step === undefined || (at < 0 && event.key !== "ArrowDown")) return;
  event.preventDefault();
  buttons[at < 0 ? 0 : Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
}

export function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }): VNode {
  const [words, setWords] = useState("");
  const found = findEmoji(words);
  return (
    <div class="emoji-picker" onKeyDown={move}>
      <input
        type="search"
        aria-label="Search emoji"
        placeholder="Search emoji"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && found[0] && onPick(found[0].emoji)}
      />
      <div class="emoji-grid" role="group" aria-label="Emoji">
        {found.map(({ emoji, words: name }) => (
          <button key={emoji} type="button" aria-label={name} title={name} onClick={() => onPick(emoji)}>
            {emoji}
          </button>
        ))}
      </div>
      {found.length === 0 && <p class="faint">No emoji has this name.</p>}
    </div>
  );
}
