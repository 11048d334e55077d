/** A place where messages are missing, as after a jump to a result of a search. They are loaded as one comes near. */

import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Gap, MessagesQuery } from "../chat/types.js";

const AHEAD_PX = 800;

export function HistoryGap({ gap, query }: { gap: Gap; query: MessagesQuery }): VNode {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const options = { root: element.current!.closest(".history"), rootMargin: `${AHEAD_PX}px 0px` };
    let from: "after" | "before" | undefined;
    const load = (): void => void (from && query.loadGap(gap, from));
    const observer = new IntersectionObserver((entries) => {
      const { isIntersecting, boundingClientRect, rootBounds } = entries.at(-1)!;
      // Who comes from above reads on after the gap's first end, who comes from below before its last one.
      const isBelow = rootBounds !== null && boundingClientRect.top > (rootBounds.top + rootBounds.bottom) / 2;
      from = isIntersecting ? (isBelow ? "after" : "before") : undefined;
      load();
    }, options);
    observer.observe(element.current!);
    const end = query.subscribe(() => {
      const { isLoading, error, gaps } = query.get();
      if (!isLoading && !error && gaps.includes(gap)) load(); // another page was loaded meanwhile
    });
    return () => {
      observer.disconnect();
      end();
    };
  }, [query, gap]);
  return (
    <div ref={element} class="gap">
      <button type="button" class="button" onClick={() => void query.loadGap(gap, "before")}>
        More messages
      </button>
    </div>
  );
}
