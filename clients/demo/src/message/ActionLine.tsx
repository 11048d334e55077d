/** A change of the group's members, in its history. */

import type { VNode } from "preact";

import { actionText } from "../chat/action.js";
import { useSession } from "../chat/context.js";
import type { MessageView } from "../chat/types.js";

export function ActionLine({ message }: { message: MessageView }): VNode {
  const { uid } = useSession();
  return (
    <p class="action-line" dir="auto">
      {actionText(message, uid)}
    </p>
  );
}
