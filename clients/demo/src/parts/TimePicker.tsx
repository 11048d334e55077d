/** Times to choose from, for what is to happen later. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { laterTimes, wholeText } from "../text/time.js";

export function TimePicker({ onPick }: { onPick: (seconds: number) => void }): VNode {
  const [times] = useState(laterTimes);
  const [typed, setTyped] = useState("");
  const chosen = Math.floor(new Date(typed).getTime() / 1000);
  const isAhead = chosen > Date.now() / 1000;
  return (
    <div class="time-picker">
      {Object.entries(times).map(([label, seconds]) => (
        <button key={label} type="button" class="time-choice" onClick={() => onPick(seconds)}>
          {label} <small class="faint">{wholeText(seconds)}</small>
        </button>
      ))}
      <div class="time-own">
        <input
          type="datetime-local"
          aria-label="Date and time"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="button" class="button is-primary" disabled={!isAhead} onClick={() => onPick(chosen)}>
          Set
        </button>
      </div>
      {typed && !isAhead && <small class="field-problem">This time is over.</small>}
    </div>
  );
}
