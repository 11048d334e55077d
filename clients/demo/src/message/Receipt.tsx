/** How far an own message is: waits, sent, delivered, read, or not sent. */

import type { VNode } from "preact";

import type { MessageView } from "../chat/types.js";
import { Icon } from "../parts/Icon.js";

export function Receipt({ message }: { message: MessageView }): VNode {
  const { local } = message;
  if (local?.state === "failed") return <Icon name="alert" label="Not sent" />;
  if (local !== undefined || message.id === undefined) return <Icon name="clock" label="Sending" />;
  if (message.readAt) {
    return (
      <span class="is-read">
        <Icon name="checks" label="Read" />
      </span>
    );
  }
  return message.deliveredAt ? <Icon name="checks" label="Delivered" /> : <Icon name="check" label="Sent" />;
}
