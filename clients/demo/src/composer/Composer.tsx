/** Where one writes: text, files, emoji, mentions; it edits and quotes, too. */

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import { dataOf, isDeleted } from "../chat/data.js";
import { holdFiles } from "../chat/localFiles.js";
import { namesOf } from "../chat/names.js";
import type { MessageView, MessagesQuery, Outgoing, Receiver } from "../chat/types.js";
import { IconButton } from "../parts/IconButton.js";
import { Popover } from "../parts/Popover.js";
import { tellProblem } from "../parts/Toast.js";
import type { Mentionable } from "../text/mentions.js";
import { mentionBefore, withNames, withTags } from "../text/mentions.js";
import { ComposerNote } from "./ComposerNote.js";
import { EmojiPicker } from "./EmojiPicker.js";
import { FileChip } from "./FileChip.js";
import { MentionMenu } from "./MentionMenu.js";
import { useDraft } from "./useDraft.js";
import { useMentions } from "./useMentions.js";

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

const MOST_LINES_PX = 180;

function typeOf(files: readonly File[]): string {
  const kinds = new Set(files.map((file) => file.type.split("/")[0] ?? ""));
  const [kind = ""] = kinds;
  return kinds.size === 1 && ["image", "video", "audio"].includes(kind) ? kind : "file";
}

/** Returns the newest own message whose text can be edited. */
function lastOwn(query: MessagesQuery, uid: string): MessageView | undefined {
  return query
    .get()
    .messages.findLast(
      (message) => message.sender === uid && message.id !== undefined && !isDeleted(message) && dataOf(message).text,
    );
}

export function Composer(props: Props): VNode {
  const { receiver, conversationId, query, parentId, editing, quoting, onEdit, onQuote } = props;
  const { chat, uid } = useSession();
  const [draft, setDraft, latest] = useDraft(parentId ?? conversationId);
  const [files, setFiles] = useState<File[]>([]);
  const [caret, setCaret] = useState(0);
  const [selected, setSelected] = useState(0);
  const [isEmojiOpen, setEmojiOpen] = useState(false);
  const [isMenuClosed, setMenuClosed] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const find = useMentions(receiver);

  const part = mentionBefore(draft.text, caret);
  const people = part !== undefined && !isMenuClosed ? find(part) : [];
  const person = people[Math.min(selected, people.length - 1)];

  useLayoutEffect(() => {
    const { style } = input.current!;
    style.height = "auto";
    style.height = `${Math.min(input.current!.scrollHeight, MOST_LINES_PX)}px`;
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
    setFiles([]);
    if (editing) onEdit(undefined);
    if (quoting) onQuote?.(undefined);
  };
  const write = (text: string, mentions = draft.mentions): void => setDraft({ text, mentions });

  const insert = (text: string): void => {
    const { selectionStart: from, selectionEnd: to } = input.current!;
    const now = latest();
    write(now.text.slice(0, from) + text + now.text.slice(to));
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(from + text.length, from + text.length);
    });
  };
  const mention = (chosen: Mentionable): void => {
    const begin = caret - (part?.length ?? 0);
    const before = draft.text.slice(0, begin);
    const text = `${before}${chosen.name} ${draft.text.slice(caret)}`;
    write(text, [...draft.mentions, chosen]);
    const after = begin + chosen.name.length + 1;
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(after, after);
      setCaret(after);
    });
  };

  const send = (): void => {
    const text = withTags(draft.text, draft.mentions).trim();
    if (editing?.id !== undefined) {
      const { id } = editing;
      if (text && text !== dataOf(editing).text) chat.edit(id, { text }).catch(tellProblem);
      return clear();
    }
    if (!text && files.length === 0) return;
    const outgoing: Outgoing = {
      ...(text ? { text } : {}),
      ...(files.length > 0 ? { files, type: typeOf(files) } : {}),
      ...(parentId ? { parentId } : {}),
      ...(quoting?.id ? { quotedMessageId: quoting.id } : {}),
    };
    try {
      holdFiles(chat.send(receiver, outgoing).key, files);
    } catch (problem) {
      return tellProblem(problem);
    }
    clear();
  };

  const onMenuKey = (event: KeyboardEvent): boolean => {
    if (person === undefined) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setSelected((selected + step + people.length) % people.length);
    else if (event.key === "Enter" || event.key === "Tab") mention(person);
    else if (event.key === "Escape") setMenuClosed(true);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (onMenuKey(event)) {
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
    write(value);
    setCaret(selectionStart);
    setSelected(0);
    setMenuClosed(false);
    if (value && parentId === undefined) chat.type(conversationId);
  };
  const addFiles = (added: FileList | undefined | null): void => {
    if (added && added.length > 0 && !editing) setFiles([...files, ...added]);
  };
  const onPaste = (event: ClipboardEvent): void => {
    if ((event.clipboardData?.files.length ?? 0) > 0) event.preventDefault();
    addFiles(event.clipboardData?.files);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    addFiles(event.dataTransfer?.files);
  };
  const label = parentId ? "Reply in thread" : "Message";
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      {editing && <ComposerNote message={editing} isEdit onClose={clear} />}
      {quoting && !editing && <ComposerNote message={quoting} isEdit={false} onClose={() => onQuote?.(undefined)} />}
      {files.length > 0 && (
        <ul class="file-chips" aria-label="Files to send">
          {files.map((file, index) => (
            <FileChip
              key={`${file.name}-${file.size}-${index}`}
              file={file}
              onRemove={() => setFiles(files.filter((each) => each !== file))}
            />
          ))}
        </ul>
      )}
      {people.length > 0 && <MentionMenu people={people} selected={people.indexOf(person!)} onPick={mention} />}
      <div class="composer-line">
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            addFiles(event.currentTarget.files);
            event.currentTarget.value = "";
          }}
        />
        <IconButton icon="attach" label="Add files" isDisabled={editing !== undefined} onClick={() => chooser.current?.click()} />
        <textarea
          ref={input}
          rows={1}
          dir="auto"
          aria-label={label}
          placeholder={label}
          value={draft.text}
          aria-autocomplete="list"
          aria-controls={people.length > 0 ? "mention-menu" : undefined}
          aria-activedescendant={person ? `mention-${person.uid}` : undefined}
          onInput={onInput}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        />
        <div class="popover-place">
          <IconButton icon="emoji" label="Emoji" isExpanded={isEmojiOpen} onClick={() => setEmojiOpen(!isEmojiOpen)} />
          {isEmojiOpen && (
            <Popover label="Emoji" onClose={() => setEmojiOpen(false)}>
              <EmojiPicker
                onPick={(emoji) => {
                  setEmojiOpen(false);
                  insert(emoji);
                }}
              />
            </Popover>
          )}
        </div>
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
