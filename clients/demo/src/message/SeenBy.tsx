/** Who of a group has a message, and who has read it. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import { useNames } from "../chat/useNames.js";
import { useAsync } from "../hooks/useAsync.js";
import { timeText } from "../text/time.js";

interface ReceiptOf {
  uid: string;
  deliveredAt?: number;
  readAt?: number;
}

export function SeenBy({ id }: { id: string }): VNode {
  const { rest } = useSession();
  const nameOf = useNames();
  const [receipts] = useAsync(() => rest<ReceiptOf[]>("GET", `/messages/${id}/receipts`), [id]);
  if (receipts.error) return <p class="faint">{receipts.error.message}</p>;
  if (!receipts.value) return <p class="faint">Loading…</p>;
  const { data } = receipts.value;
  return (
    <div class="seen-by">
      {data.length === 0 && <p class="faint">Nobody yet.</p>}
      <ul>
        {data.map(({ uid, deliveredAt, readAt }) => (
          <li key={uid}>
            <bdi>{nameOf(uid)}</bdi>
            <small class="faint">
              {readAt ? `read ${timeText(readAt)}` : deliveredAt ? `delivered ${timeText(deliveredAt)}` : "sent"}
            </small>
          </li>
        ))}
      </ul>
    </div>
  );
}
