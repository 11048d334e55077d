/** Writes a poll: a question, options, and how people vote. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { Outgoing } from "../chat/types.js";
import { IconButton } from "../parts/IconButton.js";
import { Popover } from "../parts/Popover.js";

const MOST_OPTIONS = 20;
const DURATIONS = { "": "Open until I end it", "300": "5 minutes", "3600": "1 hour", "86400": "1 day" };
const EMPTY = { question: "", options: ["", ""], isMultiple: false, isAnonymous: false, seconds: "" };

/** Returns the poll to send; undefined while something is missing or there twice. */
function pollOf(written: typeof EMPTY): Outgoing | undefined {
  const question = written.question.trim();
  const options = written.options.map((each) => each.trim()).filter(Boolean);
  if (!question || options.length < 2 || new Set(options).size < options.length) return undefined;
  const data = {
    question,
    options,
    ...(written.isMultiple ? { votesPerUser: options.length } : {}),
    ...(written.isAnonymous ? { anonymous: true } : {}),
    ...(written.seconds ? { closesAt: Math.floor(Date.now() / 1000) + Number(written.seconds) } : {}),
  };
  return { category: "interactive", type: "poll", data };
}

export function PollButton({ onSend }: { onSend: (poll: Outgoing) => void }): VNode {
  const [isOpen, setOpen] = useState(false);
  const [written, setWritten] = useState(EMPTY);
  const change = (part: Partial<typeof EMPTY>): void => setWritten({ ...written, ...part });
  const setOption = (at: number, text: string): void => {
    const options = written.options.map((each, index) => (index === at ? text : each));
    const isLast = at === options.length - 1 && text !== "" && options.length < MOST_OPTIONS;
    change({ options: isLast ? [...options, ""] : options });
  };
  const poll = pollOf(written);
  const send = (): void => {
    if (!poll) return;
    onSend(poll);
    setWritten(EMPTY);
    setOpen(false);
  };
  /** The popover is inside the form of the message, which a line break must not send. */
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    event.stopPropagation();
    send();
  };
  return (
    <div class="popover-place poll-place">
      <IconButton icon="poll" label="Poll" isExpanded={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <Popover label="New poll" onClose={() => setOpen(false)}>
          <div class="poll-form" onKeyDown={onKeyDown}>
            <label class="field">
              <span>Question</span>
              <input
                maxLength={300}
                value={written.question}
                onInput={(event) => change({ question: event.currentTarget.value })}
              />
            </label>
            <div class="field poll-choices" role="group" aria-label="Options">
              {written.options.map((text, at) => (
                <input
                  key={at}
                  maxLength={100}
                  aria-label={`Option ${at + 1}`}
                  placeholder={`Option ${at + 1}`}
                  value={text}
                  onInput={(event) => setOption(at, event.currentTarget.value)}
                />
              ))}
            </div>
            <label class="check">
              <input
                type="checkbox"
                checked={written.isMultiple}
                onChange={(event) => change({ isMultiple: event.currentTarget.checked })}
              />
              <span>Several votes each</span>
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={written.isAnonymous}
                onChange={(event) => change({ isAnonymous: event.currentTarget.checked })}
              />
              <span>Anonymous</span>
            </label>
            <select
              aria-label="How long it is open"
              value={written.seconds}
              onChange={(event) => change({ seconds: event.currentTarget.value })}
            >
              {Object.entries(DURATIONS).map(([seconds, text]) => (
                <option key={seconds} value={seconds}>
                  {text}
                </option>
              ))}
            </select>
            <button type="button" class="button is-primary" disabled={!poll} onClick={send}>
              Send poll
            </button>
          </div>
        </Popover>
      )}
    </div>
  );
}
