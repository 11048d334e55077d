/** Sends the message at a later time, and shows which ones wait. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { dataOf } from "../chat/data.js";
import type { Receiver, Scheduled } from "../chat/types.js";
import { useAsync } from "../hooks/useAsync.js";
import { announce } from "../parts/Announcer.js";
import { IconButton } from "../parts/IconButton.js";
import { Popover } from "../parts/Popover.js";
import { TimePicker } from "../parts/TimePicker.js";
import { tellProblem } from "../parts/Toast.js";
import { wholeText } from "../text/time.js";

interface Props {
  receiver: Receiver;
  /** The message without whom it is for and when; undefined while there is none that can be sent later. */
  message: () => Record<string, unknown> | undefined;
  onScheduled: () => void;
}

const PATH = "/scheduled-messages";
const newMuid = (): string => crypto.randomUUID();

function Later({ receiver, message, onScheduled }: Props): VNode {
  const { rest } = useSession();
  const [name, receiverType] = "guid" in receiver ? [receiver.guid, "group"] : [receiver.uid, "user"];
  const load = async (): Promise<Scheduled[]> => {
    const { data } = await rest<Scheduled[]>("GET", PATH, { query: { perPage: 1000 } });
    return data.filter((each) => each.message.receiver === name && each.message.receiverType === receiverType);
  };
  const [waiting, reload] = useAsync(load, [name, receiverType]);
  const [isBusy, setBusy] = useState(false);
  /** The same until an answer has come: a call that is made again keeps no second message. */
  const [muid, setMuid] = useState(newMuid);
  const outgoing = message();

  /** Makes a call, once at a time; the button that was pressed goes, and the focus stays in the layer. */
  const act = (calling: Promise<unknown>, done: () => void): void => {
    document.activeElement?.closest<HTMLElement>(".popover")?.focus();
    setBusy(true);
    calling
      .then(done, tellProblem)
      .then(reload)
      .finally(() => setBusy(false));
  };
  const schedule = (sendAt: number): void => {
    if (isBusy) return;
    const body = { receiver: name, receiverType, muid, ...outgoing, sendAt };
    act(rest("POST", "/messages", { body }), () => {
      setMuid(newMuid);
      onScheduled();
      announce(`It is sent ${wholeText(sendAt)}.`);
    });
  };
  const cancel = ({ scheduledId }: Scheduled): void =>
    act(rest("DELETE", `${PATH}/${scheduledId}`), () => announce("It is not sent."));
  return (
    <div class="later">
      <h3>Send later</h3>
      {outgoing ? <TimePicker onPick={schedule} /> : <p class="faint">Write a text first, then choose when it is sent.</p>}
      {waiting.error && <p class="field-problem">{waiting.error.message}</p>}
      {waiting.value && waiting.value.length > 0 && (
        <ul aria-label="Messages that wait">
          {waiting.value.map((each) => (
            <li key={each.scheduledId}>
              <span class="lines">
                <span class="one-line" dir="auto">
                  {dataOf(each.message).text ?? each.message.type}
                </span>
                <small class={each.failure ? "field-problem" : "faint"}>
                  {each.failure ? `Not sent: ${each.failure.message}` : wholeText(each.sendAt)}
                </small>
              </span>
              <IconButton icon="trash" label={`Cancel the message of ${wholeText(each.sendAt)}`} onClick={() => cancel(each)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function LaterButton(props: Props): VNode {
  const [isOpen, setOpen] = useState(false);
  /** The layer is inside the form of the message, which a line break must not send. */
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
  };
  return (
    <div class="popover-place" onKeyDown={onKeyDown}>
      <IconButton icon="clock" label="Send later" isExpanded={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <Popover label="Send later" onClose={() => setOpen(false)}>
          <Later {...props} />
        </Popover>
      )}
    </div>
  );
}
