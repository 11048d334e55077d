/** Moves the focus among the items of a list with the arrow keys, Home and End. */

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

export function moveFocus(event: KeyboardEvent, selector: string): void {
  const step = STEPS[event.key];
  const list = event.currentTarget as HTMLElement;
  const items = [...list.querySelectorAll<HTMLElement>(selector)];
  const at = items.findIndex((item) => item === document.activeElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  items[Math.max(0, Math.min(items.length - 1, at + step))]?.focus();
}
