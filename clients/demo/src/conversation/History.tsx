/**
 * The messages of a conversation or a thread. It is laid out from its end (column-reverse), so that pages that are
 * loaded above, and blocks there whose height turns out to be another one, move nothing that is seen.
 */

import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { isShown } from "../chat/data.js";
import type { Gap, MessageView, MessagesQuery, MessagesView } from "../chat/types.js";
import { moveFocus } from "../hooks/useArrows.js";
import { useQuery } from "../hooks/useQuery.js";
import { useBlocks } from "./blocks.js";
import { HistoryBlock } from "./HistoryBlock.js";
import { HistoryTop } from "./HistoryTop.js";
import { NearContext, makeNearWatch } from "./near.js";
import { ToEnd } from "./ToEnd.js";
import { useDivider } from "./useDivider.js";
import { useEnd } from "./useEnd.js";
import { useKeptPlace } from "./useKeptPlace.js";
import { useOlderPages } from "./useOlderPages.js";
import { useTarget } from "./useTarget.js";

interface Props {
  query: MessagesQuery;
  /** The conversation that is read by looking at its end; none for a thread. */
  conversationId?: string;
  isGroup: boolean;
  /** How many were unread when it was opened. */
  unread?: number;
  /** The message to show, such as a result of a search. */
  target?: string | undefined;
  onEdit: (message: MessageView) => void;
  onQuote?: (message: MessageView) => void;
}

/** Blocks at the end that are drawn at once, before anything is known of their places. */
const DRAWN_AT_FIRST = 3;

/** The arrow up leads from the history to its last message; from there arrows go from message to message. */
function onKeyDown(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target === event.currentTarget && event.key === "ArrowUp") {
    event.preventDefault();
    [...target.querySelectorAll<HTMLElement>(".message")].at(-1)?.focus();
  } else if (target.matches(".message")) {
    moveFocus(event, ".message");
  }
}

/** The gaps, by the keys of the shown messages that follow them. */
function gapsBetween({ messages, gaps }: MessagesView): ReadonlyMap<string, Gap> {
  const places = gaps.map((gap): [string, Gap] => {
    const from = messages.findIndex(({ id }) => id === gap.before);
    return [messages.slice(from).find(isShown)?.key ?? "", gap];
  });
  return new Map(places);
}

export function History({ query, conversationId, isGroup, unread = 0, target, onEdit, onQuote }: Props): VNode {
  const { uid } = useSession();
  const view = useQuery(query);
  const messages = useMemo(() => view.messages.filter(isShown), [view.messages]);
  const gaps = useMemo(() => gapsBetween(view), [view.messages, view.gaps]);
  const blocks = useBlocks(messages);
  const scroller = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const near = useMemo(makeNearWatch, []);
  const isThread = conversationId === undefined;
  const divider = useDivider(messages, unread, uid);
  const flashed = useTarget(scroller, query, target);
  const { isAway, missed, onScroll } = useEnd(scroller, messages.at(-1), conversationId);
  const rememberPlace = useKeptPlace(scroller, view.gaps);
  useOlderPages(scroller, top, query);
  useEffect(() => near.start(scroller.current!), []);
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
        onScroll={() => {
          onScroll();
          rememberPlace();
        }}
        onKeyDown={onKeyDown}
      >
        <div class="history-inner">
          <div class="older" ref={top}>
            <HistoryTop query={query} isThread={isThread} />
          </div>
          <NearContext.Provider value={near}>
            {blocks.map((block, index) => (
              <HistoryBlock
                key={block.key}
                block={block}
                query={query}
                gapAt={block.messages.find(({ key }) => gaps.has(key))?.key}
                gap={block.messages.map(({ key }) => gaps.get(key)).find(Boolean)}
                isGroup={isGroup}
                isThread={isThread}
                divider={block.messages.some(({ key }) => key === divider) ? divider : undefined}
                flashed={block.messages.some(({ id }) => id === flashed) ? flashed : undefined}
                isNearAtFirst={index >= blocks.length - DRAWN_AT_FIRST}
                onEdit={onEdit}
                onQuote={onQuote}
              />
            ))}
          </NearContext.Provider>
        </div>
      </div>
      {isAway && <ToEnd missed={missed} onClick={() => scroller.current!.scrollTo({ top: 0 })} />}
    </div>
  );
}
