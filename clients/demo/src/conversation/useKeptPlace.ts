/** Keeps what is seen of a history where it is while a gap below it is filled: it is laid out from its end. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { Gap } from "../chat/types.js";

interface Place {
  id: string;
  top: number;
}

/** The first message that is seen whole. */
function placeIn(scroller: HTMLElement): Place | undefined {
  const { top } = scroller.getBoundingClientRect();
  const seen = [...scroller.querySelectorAll<HTMLElement>(".message[data-id]")].find(
    (each) => each.getBoundingClientRect().top >= top,
  );
  return seen && { id: seen.dataset["id"]!, top: seen.getBoundingClientRect().top };
}

export function useKeptPlace(scroller: RefObject<HTMLElement | null>, gaps: readonly Gap[]): () => void {
  const place = useRef<Place | undefined>(undefined);
  const remember = (): void => {
    if (gaps.length > 0) place.current = placeIn(scroller.current!);
  };
  useLayoutEffect(() => {
    const element = scroller.current!;
    const kept = place.current && element.querySelector(`.message[data-id="${CSS.escape(place.current.id)}"]`);
    if (kept) element.scrollTop += kept.getBoundingClientRect().top - place.current!.top;
    place.current = gaps.length > 0 ? placeIn(element) : undefined;
  }, [gaps]);
  return remember;
}
