/** The files that are going to be sent: chosen, pasted, or dropped. */

import { useState } from "preact/hooks";

interface Files {
  files: readonly File[];
  add: (added: Iterable<File> | null | undefined) => void;
  remove: (file: File) => void;
  clear: () => void;
  onPaste: (event: ClipboardEvent) => void;
  onDrop: (event: DragEvent) => void;
}

export function useFiles(isAllowed: boolean): Files {
  const [files, setFiles] = useState<readonly File[]>([]);
  const add: Files["add"] = (added) => {
    const chosen = [...(added ?? [])]; // before the input is emptied, and its list with it
    if (isAllowed && chosen.length > 0) setFiles((before) => [...before, ...chosen]);
  };
  return {
    files,
    add,
    remove: (file) => setFiles((before) => before.filter((each) => each !== file)),
    clear: () => setFiles([]),
    onPaste: (event) => {
      const pasted = event.clipboardData?.files;
      if (pasted && pasted.length > 0) event.preventDefault(); // not the name of the file as text
      add(pasted);
    },
    onDrop: (event) => {
      event.preventDefault();
      add(event.dataTransfer?.files);
    },
  };
}
