/** A layer beside an element of the history, above everything, and kept within the window. */

import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { Popover } from "./Popover.js";

interface Props {
  anchor: HTMLElement | null;
  label: string;
  onClose: () => void;
  children: ComponentChildren;
}

const GAP_PX = 8;

/** Returns where a layer has room: below its anchor, or else above. */
function placeOf(anchor: DOMRect, width: number, height: number): { top: number; left: number } {
  const below = anchor.bottom + GAP_PX;
  const top = below + height < innerHeight - GAP_PX ? below : Math.max(GAP_PX, anchor.top - height - GAP_PX);
  const left = Math.max(GAP_PX, Math.min(anchor.right - width, innerWidth - width - GAP_PX));
  return { top, left };
}

export function Floating({ anchor, label, onClose, children }: Props): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, left: 0 });
  useLayoutEffect(() => {
    const { width = 0, height = 0 } = box.current?.firstElementChild?.getBoundingClientRect() ?? {};
    if (anchor) setPlace(placeOf(anchor.getBoundingClientRect(), width, height));
  }, []);
  return (
    <div ref={box} class="floating" style={{ top: `${place.top}px`, left: `${place.left}px` }}>
      <Popover label={label} onClose={onClose} opener={anchor}>
        {children}
      </Popover>
    </div>
  );
}
