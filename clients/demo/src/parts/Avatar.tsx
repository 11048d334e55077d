/** A person's or a group's initials, in a colour that stays theirs, or their picture if this server has it. */

import type { VNode } from "preact";

import { isOwnUrl } from "../chat/data.js";

interface Props {
  id: string;
  name: string;
  picture?: string | undefined;
  isGroup?: boolean;
  isOnline?: boolean;
  size?: "small" | "large" | "huge";
}

const HUES = 8;

function hueOf(id: string): number {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return sum % HUES;
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const letters = words.map((word) => [...word][0] ?? "");
  return (letters.length > 1 ? `${letters[0]}${letters.at(-1)}` : (letters[0] ?? "?")).toUpperCase();
}

export function Avatar({ id, name, picture, isGroup = false, isOnline = false, size }: Props): VNode {
  const shown = picture !== undefined && isOwnUrl(picture) ? picture : undefined;
  return (
    <span class={`avatar hue-${hueOf(id)} ${size ?? ""} ${isGroup ? "is-group" : ""}`} aria-hidden="true">
      {shown ? <img src={shown} alt="" /> : initialsOf(name)}
      {isOnline && <span class="presence" />}
    </span>
  );
}
