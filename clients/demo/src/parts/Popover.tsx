/** A small layer beside a button. Esc, a click elsewhere and leaving with Tab close it. */

import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  label: string;
  onClose: () => void;
  children: ComponentChildren;
  /** What belongs to it besides its parent: the button that opened it. */
  opener?: HTMLElement | null;
}

export function Popover({ label, onClose, children, opener }: Props): VNode {
  const layer = useRef<HTMLDivElement>(null);
  const before = useRef<HTMLElement | null>(null);
  useEffect(() => {
    before.current = document.activeElement as HTMLElement | null;
    const first = layer.current?.querySelector<HTMLElement>("input, button, select") ?? layer.current;
    first?.focus({ preventScroll: true });
    const closeOutside = (event: Event): void => {
      const target = event.target as Node;
      if (!layer.current?.parentElement?.contains(target) && !opener?.contains(target)) onClose();
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("focusin", closeOutside);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("focusin", closeOutside);
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    before.current?.focus({ preventScroll: true });
    onClose();
  };
  return (
    <div ref={layer} class="popover" role="dialog" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}
