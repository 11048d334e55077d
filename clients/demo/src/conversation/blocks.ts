/**
 * Divides a history into blocks that keep their messages while it grows at both ends. Only blocks near the screen are
 * drawn, and a block is drawn again only if one of its messages changed.
 */

import { useRef } from "preact/hooks";

import type { MessageView } from "../chat/types.js";

const SIZE = 16;

export interface Block {
  key: string;
  messages: readonly MessageView[];
  /** The message before the first, which may be of the same sender and day. */
  before: MessageView | undefined;
}

export class Blocks {
  private readonly starts = new Set<string>();
  private last: Block[] = [];

  divide(messages: readonly MessageView[]): Block[] {
    const blocks = this.bounds(messages).map((from, index, all) => {
      const key = messages[from]!.key;
      return { key, messages: messages.slice(from, all[index + 1]), before: messages[from - 1] };
    });
    const known = new Map(this.last.map((block) => [block.key, block]));
    this.last = blocks.map((block) => {
      const same = known.get(block.key);
      return same !== undefined && isSame(same, block) ? same : block;
    });
    return this.last;
  }

  /** Returns the indexes at which blocks begin. */
  private bounds(messages: readonly MessageView[]): number[] {
    const first = messages.findIndex(({ key }) => this.starts.has(key));
    const begin = first < 0 ? messages.length : first;
    const bounds: number[] = [];
    for (let at = begin - SIZE; at > -SIZE; at -= SIZE) {
      const from = Math.max(0, at);
      this.starts.add(messages[from]?.key ?? "");
      if (from < begin) bounds.unshift(from);
    }
    let size = 0;
    for (let at = begin; at < messages.length; at += 1) {
      const { key } = messages[at]!;
      if (size >= SIZE) this.starts.add(key);
      if (this.starts.has(key)) {
        bounds.push(at);
        size = 0;
      }
      size += 1;
    }
    return bounds;
  }
}

function isSame(one: Block, other: Block): boolean {
  return (
    one.before === other.before &&
    one.messages.length === other.messages.length &&
    one.messages.every((message, index) => message === other.messages[index])
  );
}

export function useBlocks(messages: readonly MessageView[]): Block[] {
  const blocks = useRef<Blocks | undefined>(undefined);
  blocks.current ??= new Blocks();
  return blocks.current.divide(messages);
}
