/** The state of a message that grows, as an answer that is being written does: it can be stopped. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import { dataOf } from "../chat/data.js";
import type { MessageView } from "../chat/types.js";
import { Icon } from "../parts/Icon.js";
import { tellProblem } from "../parts/Toast.js";

export function Growing({ message }: { message: MessageView }): VNode | null {
  const { chat, uid } = useSession();
  const { growing, grown, text } = dataOf(message);
  if (!growing) return grown?.status === "failed" ? <p class="is-cut">The answer broke off.</p> : null;
  return (
    <div class="growing">
      {!text && <span class="caret" aria-hidden="true" />}
      <span class="visually-hidden">Being written</span>
      {message.sender !== uid && message.id !== undefined && (
        <button type="button" class="button is-small" onClick={() => chat.stop(message.id!).catch(tellProblem)}>
          <Icon name="stop" /> Stop
        </button>
      )}
    </div>
  );
}
