/** Chooses files to send. */

import type { VNode } from "preact";
import { useRef } from "preact/hooks";

import { IconButton } from "../parts/IconButton.js";

interface Props {
  isDisabled: boolean;
  onChoose: (files: FileList | null) => void;
}

export function AttachButton({ isDisabled, onChoose }: Props): VNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onChoose(event.currentTarget.files);
          event.currentTarget.value = ""; // the same file may be chosen again
        }}
      />
      <IconButton icon="attach" label="Add files" isDisabled={isDisabled} onClick={() => input.current?.click()} />
    </>
  );
}
