/** A dialog to go to a conversation, or to begin one with somebody: Ctrl+K. */

import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { isGroup } from "../chat/data.js";
import { go } from "../chat/place.js";
import type { Group, User } from "../chat/types.js";
import { useAsync } from "../hooks/useAsync.js";
import { useQuery } from "../hooks/useQuery.js";
import { Avatar } from "../parts/Avatar.js";

interface Choice {
  key: string;
  other: User | Group;
  hint: string;
  go: () => void;
}

function useChoices(words: string): Choice[] {
  const { chat, rest, uid } = useSession();
  const conversations = useQuery(useMemo(() => chat.conversations(), [chat]));
  const query = { perPage: 20, ...(words ? { searchKey: words } : {}) };
  const [people] = useAsync(() => rest<User[]>("GET", "/users", { query }), [words]);
  return useMemo(() => {
    const wanted = words.toLowerCase();
    const known = conversations
      .filter(({ conversationWith: other }) => other.name.toLowerCase().includes(wanted))
      .map(({ conversationId, conversationWith: other }) => ({
        key: conversationId,
        other,
        hint: isGroup(other) ? "Group" : "",
        go: () => go({ conversation: conversationId }),
      }));
    const shown = new Set(known.map(({ other }) => (isGroup(other) ? "" : other.uid)));
    const further = (people.value?.data ?? [])
      .filter((person) => person.uid !== uid && !shown.has(person.uid))
      .map((person) => ({
        key: person.uid,
        other: person,
        hint: "New conversation",
        go: () => go({ conversation: chat.open({ uid: person.uid }) }),
      }));
    return [...known, ...further].slice(0, 30);
  }, [conversations, people.value, words]);
}

export function Switcher({ onClose }: { onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const choices = useChoices(words.trim());
  const selected = choices[Math.min(at, choices.length - 1)];

  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    if (selected) document.getElementById(`choice-${selected.key}`)?.scrollIntoView({ block: "nearest" });
  }, [selected?.key]);

  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    dialog.current?.close();
    choice.go();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((at + step + choices.length) % Math.max(1, choices.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(selected);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="switcher"
      aria-label="Find a person or group"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Name of a person or group"
        aria-expanded="true"
        aria-controls="switcher-choices"
        aria-activedescendant={selected ? `choice-${selected.key}` : undefined}
        placeholder="Name of a person or group"
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="switcher-choices" role="listbox" aria-label="People and groups">
        {choices.map((choice) => (
          <li
            key={choice.key}
            id={`choice-${choice.key}`}
            role="option"
            aria-selected={choice === selected}
            onClick={() => choose(choice)}
          >
            <Avatar
              id={isGroup(choice.other) ? choice.other.guid : choice.other.uid}
              name={choice.other.name}
              isGroup={isGroup(choice.other)}
              size="small"
            />
            <span dir="auto">{choice.other.name}</span>
            <small class="faint">{choice.hint}</small>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p class="faint empty">Nobody has this name.</p>}
    </dialog>
  );
}
