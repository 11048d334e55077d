/** Loads older pages before their place is reached. */

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { MessagesQuery } from "../chat/types.js";

const AHEAD_PX = 1500;

export function useOlderPages(
  scroller: RefObject<HTMLElement | null>,
  top: RefObject<HTMLElement | null>,
  query: MessagesQuery,
): void {
  const view = query.get();
  const isNear = useRef(false);
  const load = (): void => void (isNear.current && query.loadOlder());
  useEffect(() => {
    const options = { root: scroller.current, rootMargin: `${AHEAD_PX}px 0px` };
    const observer = new IntersectionObserver(([entry]) => {
      isNear.current = entry?.isIntersecting ?? false;
      load();
    }, options);
    if (top.current) observer.observe(top.current);
    return () => observer.disconnect();
  }, [query]);
  useEffect(() => {
    // Short pages may leave the place still near, of which no observer tells.
    if (!view.isLoading && view.hasOlder && !view.error) requestAnimationFrame(load);
  }, [view]);
}
