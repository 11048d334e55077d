/** Who types now. Its height is there before, so that nothing jumps. */

import type { VNode } from "preact";

import type { User } from "../chat/types.js";

function textOf(names: string[]): string {
  if (names.length === 1) return `${names[0]} is typing`;
  if (names.length === 2) return `${names.join(" and ")} are typing`;
  return "Several people are typing";
}

export function TypingLine({ typing }: { typing: readonly User[] }): VNode {
  return (
    <div class="typing-line" role="status">
      {typing.length > 0 && (
        <>
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          <bdi>{textOf(typing.map(({ name }) => name))}</bdi>
        </>
      )}
    </div>
  );
}
