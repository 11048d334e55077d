/** Sets a reminder of a message, or removes it. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import { useAsync } from "../hooks/useAsync.js";
import { TimePicker } from "../parts/TimePicker.js";
import { tellNotice, tellProblem } from "../parts/Toast.js";
import { wholeText } from "../text/time.js";

interface ReminderOf {
  messageId: string;
  at: number;
}

export function RemindMe({ id, onDone }: { id: string; onDone: () => void }): VNode {
  const { rest } = useSession();
  const path = `/messages/${id}/reminders`;
  const [reminders] = useAsync(() => rest<ReminderOf[]>("GET", "/reminders", { query: { perPage: 1000 } }), [id]);
  const known = reminders.value?.data.find(({ messageId }) => messageId === id);
  const set = (at: number): void => {
    onDone();
    rest("POST", path, { body: { at } }).then(() => tellNotice(`You are reminded ${wholeText(at)}.`), tellProblem);
  };
  const remove = (): void => {
    onDone();
    rest("DELETE", path).then(() => tellNotice("You are not reminded."), tellProblem);
  };
  return (
    <div class="later">
      <h3>Remind me</h3>
      <p class="reminder-set">
        <small>{known ? wholeText(known.at) : "When?"}</small>
        {known && (
          <button type="button" class="button is-small" onClick={remove}>
            Remove
          </button>
        )}
      </p>
      <TimePicker onPick={set} />
    </div>
  );
}
