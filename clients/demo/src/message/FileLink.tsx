/** A file with its name and size, to be opened or stored. */

import type { VNode } from "preact";

import type { Attachment } from "../chat/data.js";
import { safeUrl } from "../chat/data.js";
import { Icon } from "../parts/Icon.js";
import { sizeText } from "../text/size.js";

export function FileLink({ file }: { file: Attachment }): VNode {
  const size = Number(file.size);
  const lines = (
    <>
      <Icon name="file" />
      <span class="lines">
        <span class="file-name" dir="auto">
          {file.name ?? file.url}
        </span>
        {size > 0 && <small>{sizeText(size)}</small>}
      </span>
    </>
  );
  const url = file.url.startsWith("blob:") ? undefined : safeUrl(file.url);
  if (url === undefined) return <span class="file">{lines}</span>;
  return (
    <a class="file" href={url} target="_blank" rel="noopener noreferrer" download={file.name ?? true}>
      {lines}
    </a>
  );
}
