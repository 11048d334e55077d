/** Brings a message into view, such as a result of a search, and loads the history up to it. */

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { MessagesQuery } from "../chat/types.js";
import { tellProblem } from "../parts/Toast.js";

const FLASH_MS = 2500;

const nextFrame = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done));

async function loadUntil(query: MessagesQuery, id: string, isWanted: () => boolean): Promise<boolean> {
  const isThere = (): boolean => query.get().messages.some((message) => message.id === id);
  while (isWanted() && !isThere() && query.get().hasOlder) {
    const before = query.get().messages.length;
    await query.loadOlder();
    if (query.get().messages.length === before) await nextFrame(); // another one loads
  }
  return isThere();
}

/** Scrolls twice: heights that were estimated are known once the blocks around are drawn. */
async function show(scroller: HTMLElement, id: string): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    const found = scroller.querySelector(`[data-id="${CSS.escape(id)}"]`);
    (found ?? scroller.querySelector(`[data-ids~="${CSS.escape(id)}"]`))?.scrollIntoView({ block: "center" });
    await nextFrame();
    await nextFrame();
  }
  scroller.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}

export function useTarget(
  scroller: RefObject<HTMLElement | null>,
  query: MessagesQuery,
  target: string | undefined,
): string | undefined {
  const [flashed, setFlashed] = useState<string>();
  useEffect(() => {
    let isWanted = target !== undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = async (id: string): Promise<void> => {
      const isThere = await loadUntil(query, id, () => isWanted);
      if (!isWanted) return;
      if (!isThere) return tellProblem("This message is not there any more.");
      setFlashed(id);
      await nextFrame();
      if (isWanted && scroller.current) await show(scroller.current, id);
      timer = setTimeout(() => setFlashed(undefined), FLASH_MS);
    };
    if (target !== undefined) begin(target).catch(tellProblem);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [query, target]);
  return flashed;
}
