/** Brings a message into view, such as a result of a search, and loads it with those around it. */

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { MessagesQuery } from "../chat/types.js";
import { tellProblem } from "../parts/Toast.js";

const FLASH_MS = 2500;

const nextFrame = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done));

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
      const isThere = await query.loadAround(id);
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
