/** Some messages of a history; while they are far from the screen they are only a space of their height. */

import type { VNode } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";

import { isAction } from "../chat/data.js";
import type { Gap, MessageView, MessagesQuery } from "../chat/types.js";
import { memo } from "../parts/memo.js";
import { ActionLine } from "../message/ActionLine.js";
import { MessageRow } from "../message/MessageRow.js";
import { dayText, isSameDay } from "../text/time.js";
import type { Block } from "./blocks.js";
import { HistoryGap } from "./HistoryGap.js";
import { NearContext } from "./near.js";

interface Props {
  block: Block;
  query: MessagesQuery;
  /** A gap, and the key of the message that follows it. */
  gap: Gap | undefined;
  gapAt: string | undefined;
  isGroup: boolean;
  isThread: boolean;
  divider: string | undefined;
  flashed: string | undefined;
  isNearAtFirst: boolean;
  onEdit: (message: MessageView) => void;
  onQuote: ((message: MessageView) => void) | undefined;
}

const LIKELY_PX = 72;
const TOGETHER_SECONDS = 300;

/** Returns whether a message follows another one of the same sender closely. */
function follows(message: MessageView, before: MessageView | undefined): boolean {
  return (
    before !== undefined &&
    before.sender === message.sender &&
    !isAction(before) &&
    message.sentAt - before.sentAt < TOGETHER_SECONDS &&
    isSameDay(before.sentAt, message.sentAt)
  );
}

function useIsNear(isNearAtFirst: boolean, count: number) {
  const near = useContext(NearContext);
  const element = useRef<HTMLDivElement>(null);
  const height = useRef(count * LIKELY_PX);
  const [isNear, setNear] = useState(isNearAtFirst);
  useEffect(() => {
    const listen = (now: boolean, measured: number): void =>
      setNear((before) => {
        if (before && !now) height.current = measured;
        return now;
      });
    return near.watch(element.current!, listen);
  }, [near]);
  return { element, height: height.current, isNear };
}

export const HistoryBlock = memo(function HistoryBlock(props: Props): VNode {
  const { block, query, gap, isGroup, isThread, divider, flashed } = props;
  const { element, height, isNear } = useIsNear(props.isNearAtFirst || flashed !== undefined, block.messages.length);
  return (
    <div
      ref={element}
      class="history-block"
      data-ids={block.messages.map(({ id }) => id).join(" ")}
      style={isNear ? undefined : { height: `${height}px` }}
    >
      {isNear &&
        block.messages.map((message, index) => {
          const before = index > 0 ? block.messages[index - 1] : block.before;
          const isNewDay = before === undefined || !isSameDay(before.sentAt, message.sentAt);
          return (
            <div key={message.key} class="history-item">
              {gap && message.key === props.gapAt && <HistoryGap gap={gap} query={query} />}
              {isNewDay && !isThread && (
                <div class="day">
                  <span>{dayText(message.sentAt)}</span>
                </div>
              )}
              {message.key === divider && (
                <div class="unread-divider" role="separator">
                  <span>New</span>
                </div>
              )}
              {isAction(message) ? (
                <ActionLine message={message} />
              ) : (
                <MessageRow
                  message={message}
                  isFollowing={follows(message, before) && message.key !== divider}
                  isGroup={isGroup}
                  isThread={isThread}
                  isFlashed={message.id !== undefined && message.id === flashed}
                  onEdit={props.onEdit}
                  onQuote={props.onQuote}
                />
              )}
            </div>
          );
        })}
    </div>
  );
});
