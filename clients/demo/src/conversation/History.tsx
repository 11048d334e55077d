/**
 * The messages of a conversation or a thread. It is laid out from its end (column-reverse), so that pages that are
 * loaded above, and blocks there whose height turns out to be another one, move nothing that is seen.
 */

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { isAction, isShown, senderName, textOf } from "../chat/data.js";
import { namesOf } from "../chat/names.js";
import type { MessageView, MessagesQuery } from "../chat/types.js";
import { moveFocus } from "../hooks/useArrows.js";
import { useQuery } from "../hooks/useQuery.js";
import { announce } from "../parts/Announcer.js";
import { Icon } from "../parts/Icon.js";
import { plainText } from "../text/parse.js";
import { HistoryBlock } from "./HistoryBlock.js";
import { NearContext, makeNearWatch } from "./near.js";
import { useBlocks } from "./blocks.js";
import { useTarget } from "./useTarget.js";

interface Props {
  query: MessagesQuery;
  conversationId: string;
  isGroup: boolean;
  /** How many were unread when it was opened. */
  unread?: number;
  target?: string | undefined;
  isThread?: boolean;
  marksRead?: boolean;
  onEdit: (message: MessageView) => void;
  onQuote?: (message: MessageView) => void;
}

const END_PX = 40;
const AHEAD_PX = 1500;

/** Returns the key of the first unread message, of which `unread` are at the end. */
function firstUnread(messages: readonly MessageView[], unread: number, uid: string): string | undefined {
  let left = unread;
  for (let at = messages.length - 1; at >= 0 && left > 0; at -= 1) {
    const message = messages[at]!;
    if (message.sender !== uid && !isAction(message)) left -= 1;
    if (left === 0) return message.key;
  }
  return undefined;
}

export function History(props: Props): VNode {
  const { query, conversationId, unread = 0, isThread = false } = props;
  const { chat, uid } = useSession();
  const view = useQuery(query);
  const messages = useMemo(() => view.messages.filter(isShown), [view.messages]);
  const blocks = useBlocks(messages);
  const scroller = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [isAway, setAway] = useState(false);
  const [divider, setDivider] = useState<string>();
  const [missed, setMissed] = useState(0);
  const newest = messages.at(-1);
  const near = useMemo(makeNearWatch, []);
  const flashed = useTarget(scroller, query, props.target);

  useEffect(() => near.start(scroller.current!), []);

  // Older pages are loaded before their place is reached.
  const isTopNear = useRef(false);
  const loadOlder = (): void => void (isTopNear.current && query.loadOlder().catch(() => undefined));
  useEffect(() => {
    const options = { root: scroller.current, rootMargin: `${AHEAD_PX}px 0px` };
    const observer = new IntersectionObserver(([entry]) => {
      isTopNear.current = entry?.isIntersecting ?? false;
      loadOlder();
    }, options);
    if (top.current) observer.observe(top.current);
    return () => observer.disconnect();
  }, [query, view.hasOlder]);
  useEffect(() => {
    if (!view.isLoading && view.hasOlder && !view.error) requestAnimationFrame(loadOlder);
  }, [view]);

  useEffect(() => {
    if (divider === undefined && unread > 0 && messages.length > 0) setDivider(firstUnread(messages, unread, uid) ?? "");
  }, [messages.length > 0]);

  // What arrives at the end is followed by those who are at the end, and by those who wrote it.
  const lastKey = useRef(newest?.key);
  useLayoutEffect(() => {
    const isNew = newest !== undefined && newest.key !== lastKey.current && lastKey.current !== undefined;
    lastKey.current = newest?.key;
    if (!isNew) return;
    const isMine = newest.sender === uid;
    if (isMine || isAtEnd.current) scroller.current!.scrollTop = 0;
    else setMissed((count) => count + 1);
    if (isMine) return;
    const names = namesOf(newest);
    announce(`${senderName(newest, uid)}: ${plainText(textOf(newest) || newest.type, (who) => names[who] ?? who)}`);
  }, [newest?.key]);

  useEffect(() => {
    const mark = (): void => {
      if (props.marksRead && isAtEnd.current && document.visibilityState === "visible" && newest) {
        chat.markRead(conversationId);
      }
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [newest?.id, isAway]);

  const onScroll = (): void => {
    isAtEnd.current = scroller.current!.scrollTop > -END_PX;
    if (isAtEnd.current === isAway) setAway(!isAtEnd.current);
    if (isAtEnd.current && missed > 0) setMissed(0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (target === scroller.current && event.key === "ArrowUp") {
      event.preventDefault();
      [...scroller.current.querySelectorAll<HTMLElement>(".message")].at(-1)?.focus();
    } else if (target.matches(".message")) {
      moveFocus(event, ".message");
    }
  };
  return (
    <div class="history-place">
      <div
        ref={scroller}
        class={isThread ? "history is-thread" : "history"}
        role="log"
        aria-live="off"
        aria-label={isThread ? "Thread" : "Messages"}
        aria-busy={view.isLoading}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div class="history-inner">
          <div class="older" ref={top}>
            {view.error ? (
              <button type="button" class="button" onClick={() => void query.loadOlder().catch(() => undefined)}>
                {view.error.message} Try again
              </button>
            ) : view.hasOlder || view.isLoading ? (
              <span class="spinner" aria-hidden="true" />
            ) : messages.length === 0 && !isThread ? (
              <p class="faint">Nothing has been said here yet.</p>
            ) : null}
          </div>
          <NearContext.Provider value={near}>
            {blocks.map((block, index) => (
              <HistoryBlock
                key={block.key}
                block={block}
                isGroup={props.isGroup}
                isThread={isThread}
                divider={block.messages.some(({ key }) => key === divider) ? divider : undefined}
                flashed={block.messages.some(({ id }) => id === flashed) ? flashed : undefined}
                isNearAtFirst={index >= blocks.length - 3}
                onEdit={props.onEdit}
                onQuote={props.onQuote}
              />
            ))}
          </NearContext.Provider>
        </div>
      </div>
      {isAway && (
        <button
          type="button"
          class="to-end"
          aria-label={missed > 0 ? `To the ${missed} new messages` : "To the newest message"}
          onClick={() => scroller.current!.scrollTo({ top: 0 })}
        >
          <Icon name="down" />
          {missed > 0 && <span class="badge">{missed}</span>}
        </button>
      )}
    </div>
  );
}
