/** Where one writes: text, files, emoji, mentions; it edits and quotes, too. */

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { dataOf, isDeleted } from "../chat/data.js";
import { holdFiles } from "../chat/localFiles.js";
import { namesOf } from "../chat/names.js";
import type { MessageView, MessagesQuery, Outgoing, Receiver } from "../chat/types.js";
import { IconButton } from "../parts/IconButton.js";
import { tellProblem } from "../parts/Toast.js";
import type { Mentionable } from "../text/mentions.js";
import { withNames, withTags } from "../text/mentions.js";
import { AttachButton } from "./AttachButton.js";
import { ComposerNote } from "./ComposerNote.js";
import { EmojiButton } from "./EmojiButton.js";
import { FileChip } from "./FileChip.js";
import { LaterButton } from "./LaterButton.js";
import { MentionMenu } from "./MentionMenu.js";
import { PollButton } from "./PollButton.js";
import { typeOfFiles } from "./typeOfFiles.js";
import { useCompletion } from "./useCompletion.js";
import { useDraft } from "./useDraft.js";
import { useFiles } from "./useFiles.js";

interface Props {
  receiver: Receiver;
  conversationId: string;
  query: MessagesQuery;
  /** The thread that it replies in. */
  parentId?: string;
  editing: MessageView | undefined;
  quoting?: MessageView | undefined;
  onEdit: (message: MessageView | undefined) => void;
  onQuote?: (message: MessageView | undefined) => void;
}

const MOST_PX = 180;

/** Returns the newest own message whose text can be edited. */
function lastOwn(query: MessagesQuery, uid: string): MessageView | undefined {
  const isEditable = (message: MessageView): boolean =>
    message.sender === uid && message.id !== undefined && !isDeleted(message) && Boolean(dataOf(message).text);
  return query.get().messages.findLast(isEditable);
}

export function Composer(props: Props): VNode {
  const { receiver, conversationId, query, parentId, editing, quoting, onEdit, onQuote } = props;
  const { chat, uid } = useSession();
  const [draft, setDraft, latest] = useDraft(conversationId, parentId, editing !== undefined);
  const [caret, setCaret] = useState(0);
  const input = useRef<HTMLTextAreaElement>(null);
  const { files, ...choice } = useFiles(editing === undefined);
  const completion = useCompletion(receiver, draft.text, caret);
  const { people, selected } = completion;
  const label = parentId ? "Reply in thread" : "Message";

  useLayoutEffect(() => {
    const { style } = input.current!;
    style.height = "auto";
    style.height = `${Math.min(input.current!.scrollHeight, MOST_PX)}px`;
  }, [draft.text]);
  useEffect(() => {
    // A phone would show its keyboard at once.
    if (matchMedia("(pointer: fine)").matches) input.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (editing === undefined) return;
    const [text, mentions] = withNames(dataOf(editing).text ?? "", namesOf(editing));
    setDraft({ text, mentions });
    input.current?.focus();
  }, [editing]);
  useEffect(() => {
    if (quoting !== undefined) input.current?.focus();
  }, [quoting]);

  const clear = (): void => {
    setDraft({ text: "", mentions: [] });
    choice.clear();
    if (editing) onEdit(undefined);
    if (quoting) onQuote?.(undefined);
  };
  /** Puts a text in place of a part of the draft, and the caret after it. */
  const replace = (from: number, to: number, added: string, mentioned: Mentionable[] = []): void => {
    const { text, mentions } = latest();
    setDraft({ text: text.slice(0, from) + added + text.slice(to), mentions: [...mentions, ...mentioned] });
    const after = from + added.length;
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(after, after);
      setCaret(after);
    });
  };
  const insert = (text: string): void => replace(input.current!.selectionStart, input.current!.selectionEnd, text);
  const mention = (person: Mentionable): void =>
    replace(caret - completion.length, caret, `${person.name} `, [person]);

  const save = (message: MessageView, text: string): void => {
    if (text && text !== dataOf(message).text) chat.edit(message.id!, { text }).catch(tellProblem);
    clear();
  };
  const send = (): void => {
    const text = withTags(draft.text, draft.mentions).trim();
    if (editing) return save(editing, text);
    if (!text && files.length === 0) return;
    const outgoing: Outgoing = {
      ...(text ? { text } : {}),
      ...(files.length > 0 ? { files, type: typeOfFiles(files) } : {}),
      ...(parentId ? { parentId } : {}),
      ...(quoting?.id ? { quotedMessageId: quoting.id } : {}),
    };
    holdFiles(chat.send(receiver, outgoing).key, files);
    clear();
  };

  /** The text as a message that is sent later; files are sent at once only. */
  const forLater = (): Record<string, unknown> | undefined => {
    const text = withTags(draft.text, draft.mentions).trim();
    if (!text || files.length > 0) return undefined;
    return { data: { text }, ...(quoting?.id ? { quotedMessageId: quoting.id } : {}) };
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (completion.onKey(event.key, mention)) {
      event.preventDefault();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === "ArrowUp" && draft.text === "" && files.length === 0) {
      const last = lastOwn(query, uid);
      if (last) event.preventDefault();
      if (last) onEdit(last);
    } else if (event.key === "Escape" && (editing ?? quoting)) {
      event.preventDefault();
      clear();
    }
  };
  const onInput = (event: { currentTarget: HTMLTextAreaElement }): void => {
    const { value, selectionStart } = event.currentTarget;
    setDraft({ ...draft, text: value });
    setCaret(selectionStart);
    completion.reset();
    if (value && parentId === undefined) chat.type(conversationId);
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    send();
  };
  return (
    <form class="composer" onSubmit={onSubmit} onDragOver={(event) => event.preventDefault()} onDrop={choice.onDrop}>
      {editing && <ComposerNote message={editing} isEdit onClose={clear} />}
      {quoting && !editing && <ComposerNote message={quoting} isEdit={false} onClose={() => onQuote?.(undefined)} />}
      {files.length > 0 && (
        <ul class="file-chips" aria-label="Files to send">
          {files.map((file, index) => (
            <FileChip key={`${file.name}-${file.size}-${index}`} file={file} onRemove={() => choice.remove(file)} />
          ))}
        </ul>
      )}
      {selected && <MentionMenu people={people} selected={people.indexOf(selected)} onPick={mention} />}
      <div class="composer-line">
        <AttachButton isDisabled={editing !== undefined} onChoose={choice.add} />
        {parentId === undefined && !editing && <PollButton onSend={(poll) => chat.send(receiver, poll)} />}
        <textarea
          ref={input}
          rows={1}
          dir="auto"
          aria-label={label}
          placeholder={label}
          value={draft.text}
          aria-autocomplete="list"
          aria-controls={selected ? "mention-menu" : undefined}
          aria-activedescendant={selected ? `mention-${selected.uid}` : undefined}
          onInput={onInput}
          onKeyDown={onKeyDown}
          onPaste={choice.onPaste}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        />
        <EmojiButton onPick={insert} />
        {parentId === undefined && !editing && (
          <LaterButton receiver={receiver} message={forLater} onScheduled={clear} />
        )}
        <IconButton
          icon={editing ? "check" : "send"}
          label={editing ? "Save" : "Send"}
          type="submit"
          class="is-primary"
          isDisabled={!draft.text.trim() && files.length === 0}
        />
      </div>
    </form>
  );
}
