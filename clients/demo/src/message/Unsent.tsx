/** A message that waits or was refused: its progress, why, and what can be done. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import { heldFiles, releaseFiles } from "../chat/localFiles.js";
import { reasonOf } from "../chat/reason.js";
import type { MessageView } from "../chat/types.js";
import { useQuery } from "../hooks/useQuery.js";
import { Icon } from "../parts/Icon.js";

export function Unsent({ message }: { message: MessageView }): VNode | null {
  const { chat } = useSession();
  const { connection } = useQuery(chat.status);
  const { local, key } = message;
  if (local === undefined) return null;
  const discard = (): void => {
    chat.discard(key);
    releaseFiles(key);
  };
  if (local.state === "failed") {
    return (
      <div class="unsent is-failed">
        <span dir="auto">Not sent{local.error ? `: ${reasonOf(local.error)}` : "."}</span>
        <button type="button" class="link" onClick={() => chat.retry(key)}>
          <Icon name="retry" /> Try again
        </button>
        <button type="button" class="link" onClick={discard}>
          <Icon name="trash" /> Discard
        </button>
      </div>
    );
  }
  const isUpload = local.progress !== undefined || heldFiles(key) !== undefined;
  if (!isUpload && connection.name === "connected") return null;
  return (
    <div class="unsent">
      {isUpload ? (
        <progress max={1} value={local.progress ?? 0} aria-label="Upload" />
      ) : (
        <span>Waits for the connection</span>
      )}
      <button type="button" class="link" onClick={discard}>
        {isUpload ? "Cancel" : "Discard"}
      </button>
    </div>
  );
}
