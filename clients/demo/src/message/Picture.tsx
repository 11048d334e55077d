/** A picture, in the space that it will need, so that nothing moves when it has been loaded. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Attachment } from "../chat/data.js";

interface Props {
  file: Attachment;
  index: number;
  messageId: string | undefined;
}

export function Picture({ file, index, messageId }: Props): VNode {
  const { chat } = useSession();
  const [renewed, setRenewed] = useState<string>();
  const { width = 4, height = 3 } = file;
  const renew = (): void => {
    // Links end after some days; a new one is asked for once.
    if (renewed === undefined && messageId !== undefined) {
      chat.link(messageId, index).then((url) => setRenewed(url ?? file.url), () => setRenewed(file.url));
    }
  };
  const image = (
    <img
      src={renewed ?? file.thumbnail?.url ?? file.url}
      alt={file.name ?? "Picture"}
      width={width}
      height={height}
      loading="lazy"
      decoding="async"
      onError={renew}
    />
  );
  if (file.url.startsWith("blob:")) return <span class="picture">{image}</span>;
  return (
    <a class="picture" href={renewed ?? file.url} target="_blank" rel="noopener noreferrer">
      {image}
    </a>
  );
}
