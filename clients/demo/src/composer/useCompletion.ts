/** The menu of those who can be mentioned, while a name is written after an @. */

import { useState } from "preact/hooks";

import type { Receiver } from "../chat/types.js";
import type { Mentionable } from "../text/mentions.js";
import { mentionBefore } from "../text/mentions.js";
import { useMentions } from "./useMentions.js";

interface Completion {
  people: readonly Mentionable[];
  selected: Mentionable | undefined;
  /** The number of letters before the caret that a chosen name replaces. */
  length: number;
  /** Moves, chooses or closes with a key; returns whether the key was for the menu. */
  onKey: (key: string, choose: (person: Mentionable) => void) => boolean;
  /** Begins again after a change of the text. */
  reset: () => void;
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

export function useCompletion(receiver: Receiver, text: string, caret: number): Completion {
  const [at, setAt] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const find = useMentions(receiver);
  const part = mentionBefore(text, caret);
  const people = part !== undefined && !isClosed ? find(part) : [];
  const selected = people[Math.min(at, people.length - 1)];
  const onKey: Completion["onKey"] = (key, choose) => {
    if (selected === undefined) return false;
    const step = STEPS[key];
    if (step !== undefined) setAt((at + step + people.length) % people.length);
    else if (key === "Enter" || key === "Tab") choose(selected);
    else if (key === "Escape") setClosed(true);
    else return false;
    return true;
  };
  const reset = (): void => {
    setAt(0);
    setClosed(false);
  };
  return { people, selected, length: part?.length ?? 0, onKey, reset };
}
