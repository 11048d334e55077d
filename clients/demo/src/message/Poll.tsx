/** A poll: its options with live bars, one's own votes, and how long it is open. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import type { PollData } from "../chat/data.js";
import type { MessageView } from "../chat/types.js";
import { useNow } from "../hooks/useNow.js";
import { Icon } from "../parts/Icon.js";
import { tellProblem } from "../parts/Toast.js";
import { wholeText } from "../text/time.js";

const counted = (voters: number): string => (voters === 1 ? "1 vote" : `${voters} votes`);

/** Returns the options after a click on one: a vote that was given is taken back. */
function toggled(own: readonly number[], option: number, most: number): number[] {
  if (own.includes(option)) return own.filter((each) => each !== option);
  return most === 1 ? [option] : [...own, option];
}

export function Poll({ message, data }: { message: MessageView; data: PollData }): VNode {
  const { chat, uid, rest } = useSession();
  const now = useNow();
  const { question, options, votesPerUser: most = 1, anonymous, poll } = data;
  const { id } = message;
  const own = (poll?.options ?? []).flatMap(({ votedByMe }, option) => (votedByMe ? [option] : []));
  const voters = poll?.voters ?? 0;
  const isOver = poll?.closesAt !== undefined && poll.closesAt * 1000 <= now;
  const isClosed = poll?.closedAt !== undefined || isOver;
  const isFull = most > 1 && own.length >= most;
  const leading = Math.max(1, ...(poll?.options ?? []).map(({ votes }) => votes));

  const choose = (option: number): void => {
    const votes = toggled(own, option, most);
    (votes.length > 0 ? chat.vote(id!, votes) : chat.unvote(id!)).catch(tellProblem);
  };
  const close = (): void => {
    rest("POST", `/messages/${id}/votes/close`).catch(tellProblem);
  };
  const notes = [
    counted(voters),
    ...(anonymous ? ["anonymous"] : []),
    ...(most > 1 && !isClosed ? [`up to ${most} each`] : []),
    ...(isClosed ? ["closed"] : poll?.closesAt ? [`until ${wholeText(poll.closesAt)}`] : []),
  ];
  return (
    <div class="poll" role="group" aria-label={`Poll: ${question}`} data-closed={isClosed}>
      <h2 dir="auto">{question}</h2>
      {options.map((text, option) => {
        const votes = poll?.options[option]?.votes ?? 0;
        const isMine = own.includes(option);
        const share = voters === 0 ? 0 : Math.round((100 * votes) / voters);
        return (
          <button
            key={option}
            type="button"
            class={isClosed && votes === leading ? "poll-option is-leading" : "poll-option"}
            aria-pressed={isMine}
            disabled={id === undefined || isClosed || (isFull && !isMine)}
            onClick={() => choose(option)}
          >
            <span class="poll-bar" style={{ inlineSize: `${share}%` }} />
            <span class="poll-text">
              <span class="poll-mark">{isMine && <Icon name="check" label="Your vote" />}</span>
              <bdi>{text}</bdi>
            </span>
            <span class="poll-share">
              {share}% <small>({votes})</small>
            </span>
          </button>
        );
      })}
      <p class="poll-notes faint">
        <span>{notes.join(" · ")}</span>
        {!isClosed && id !== undefined && message.sender === uid && (
          <button type="button" class="link" onClick={close}>
            End poll
          </button>
        )}
      </p>
    </div>
  );
}
