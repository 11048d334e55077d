/** Says something for a while, such as why an edit was refused. */

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { reasonOf } from "../chat/reason.js";
import { IconButton } from "./IconButton.js";

const NAME = "hubbub-notice";
const SHOWN_MS = 8_000;

export function tellNotice(text: string): void {
  dispatchEvent(new CustomEvent(NAME, { detail: text }));
}

/** Shows why something did not happen. */
export const tellProblem = (problem: unknown): void => tellNotice(reasonOf(problem));

export function Toast(): VNode {
  const [text, setText] = useState("");
  useEffect(() => {
    const say = (event: Event): void => setText((event as CustomEvent<string>).detail);
    addEventListener(NAME, say);
    return () => removeEventListener(NAME, say);
  }, []);
  useEffect(() => {
    const timer = text ? setTimeout(() => setText(""), SHOWN_MS) : undefined;
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="toast-place" role="alert">
      {text && (
        <div class="toast">
          <span dir="auto">{text}</span>
          <IconButton icon="close" label="Close this notice" onClick={() => setText("")} />
        </div>
      )}
    </div>
  );
}
