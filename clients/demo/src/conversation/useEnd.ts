/** Keeps who is at the end of a history there, and counts what others miss. */

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { senderName, textOf, typeOf } from "../chat/data.js";
import { namesOf } from "../chat/names.js";
import type { MessageView } from "../chat/types.js";
import { announce } from "../parts/Announcer.js";
import { plainText } from "../text/parse.js";

const NEAR_PX = 40;

interface End {
  isAway: boolean;
  missed: number;
  onScroll: () => void;
}

function announceMessage(message: MessageView, uid: string): void {
  const names = namesOf(message);
  const text = plainText(textOf(message) || typeOf(message), (who) => names[who] ?? who);
  announce(`${senderName(message, uid)}: ${text}`);
}

export function useEnd(
  scroller: RefObject<HTMLElement | null>,
  newest: MessageView | undefined,
  conversationId: string | undefined,
): End {
  const { chat, uid } = useSession();
  const isAtEnd = useRef(true);
  const lastKey = useRef(newest?.key);
  const [isAway, setAway] = useState(false);
  const [missed, setMissed] = useState(0);

  useLayoutEffect(() => {
    const isNew = newest !== undefined && lastKey.current !== undefined && newest.key !== lastKey.current;
    lastKey.current = newest?.key;
    if (!isNew) return;
    const isMine = newest.sender === uid;
    if (isMine || isAtEnd.current) scroller.current!.scrollTop = 0;
    else setMissed((count) => count + 1);
    if (!isMine) announceMessage(newest, uid);
  }, [newest?.key]);

  useEffect(() => {
    const mark = (): void => {
      const isSeen = isAtEnd.current && document.visibilityState === "visible" && newest !== undefined;
      if (conversationId !== undefined && isSeen) chat.markRead(conversationId);
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [newest?.id, isAway]);

  const onScroll = (): void => {
    isAtEnd.current = scroller.current!.scrollTop > -NEAR_PX;
    setAway(!isAtEnd.current);
    if (isAtEnd.current) setMissed(0);
  };
  return { isAway, missed, onScroll };
}
