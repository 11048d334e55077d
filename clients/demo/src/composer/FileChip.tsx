/** A file that is going to be sent. */

import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";

import { Icon } from "../parts/Icon.js";
import { IconButton } from "../parts/IconButton.js";
import { sizeText } from "../text/size.js";

export function FileChip({ file, onRemove }: { file: File; onRemove: () => void }): VNode {
  const preview = useMemo(() => (file.type.startsWith("image/") ? URL.createObjectURL(file) : undefined), [file]);
  useEffect(() => () => void (preview && URL.revokeObjectURL(preview)), [preview]);
  return (
    <li class="file-chip">
      {preview ? <img src={preview} alt="" /> : <Icon name="file" />}
      <span class="lines">
        <span class="file-name" dir="auto">
          {file.name}
        </span>
        <small class="faint">{sizeText(file.size)}</small>
      </span>
      <IconButton icon="close" label={`Remove ${file.name}`} onClick={onRemove} />
    </li>
  );
}
