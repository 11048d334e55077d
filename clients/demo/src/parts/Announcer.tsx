/** Says to screen readers what changes without them: messages that arrive, for example. */

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

const NAME = "hubbub-announcement";

export function announce(text: string): void {
  dispatchEvent(new CustomEvent(NAME, { detail: text }));
}

export function Announcer(): VNode {
  const [text, setText] = useState("");
  useEffect(() => {
    const say = (event: Event): void => setText((event as CustomEvent<string>).detail);
    addEventListener(NAME, say);
    return () => removeEventListener(NAME, say);
  }, []);
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
