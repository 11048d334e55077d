/** Leads to the newest message, and says how many came meanwhile. */

import type { VNode } from "preact";

import { Icon } from "../parts/Icon.js";

export function ToEnd({ missed, onClick }: { missed: number; onClick: () => void }): VNode {
  const label = missed > 0 ? `To the ${missed} new messages` : "To the newest message";
  return (
    <button type="button" class="to-end" aria-label={label} onClick={onClick}>
      <Icon name="down" />
      {missed > 0 && <span class="badge">{missed}</span>}
    </button>
  );
}
