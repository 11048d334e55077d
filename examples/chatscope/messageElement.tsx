/** A message with its files, reactions and what can be done with it. */

import { Message, MessageSeparator } from "@chatscope/chat-ui-kit-react";
import type { Chat, MessageView } from "@hubbub/client/store";
import { addressOf, dataOf, senderOf, stateOf, textOf } from "./views.js";

interface Shown {
  chat: Chat;
  uid: string;
  url: string;
  message: MessageView;
  edit(message: MessageView): void;
  report(error: Error): void;
}

/** Returns the element of a message. The list wants the kit's own elements, so this is no component. */
export function messageElement(shown: Shown) {
  const { message, uid, url } = shown;
  const { key, category } = message;
  if (category === "action") return <MessageSeparator key={key}>{textOf(message)}</MessageSeparator>;
  const isMine = message.sender === uid;
  return (
    // Without a type the kit takes a text for HTML.
    <Message key={key} model={{ type: "custom", direction: isMine ? "outgoing" : "incoming", position: "single" }}>
      {!isMine && message.receiverType === "group" && <Message.Header sender={senderOf(message)} />}
      <Message.CustomContent>
        {textOf(message)}
        {files(message, url)}
      </Message.CustomContent>
      <Message.Footer>
        {stateOf(message, uid)}
        {message.id && message.deletedAt === undefined ? actions(shown, message.id) : waiting(shown)}
      </Message.Footer>
    </Message>
  );
}

function files(message: MessageView, serverUrl: string) {
  if (message.deletedAt !== undefined) return undefined;
  return (dataOf(message).attachments ?? []).map((file) => {
    const { url, name, mimeType, width, height } = file;
    const address = addressOf(file, serverUrl);
    if (mimeType?.startsWith("image/")) {
      // With its size nothing moves when it is loaded, and the list stays at its end.
      return <img key={url} src={address} alt={name ?? ""} {...{ width, height }} className="attached" />;
    }
    return (
      <a key={url} href={address} target="_blank" rel="noreferrer">
        {name}
      </a>
    );
  });
}

function actions({ chat, uid, message, edit, report }: Shown, id: string) {
  const known = dataOf(message).reactions ?? [];
  const shown = known.some(({ reaction }) => reaction === "👍") ? known : [...known, { reaction: "👍", count: 0 }];
  const reactions = shown.map(({ reaction, count, reactedByMe }) => (
    <button
      key={reaction}
      className={reactedByMe ? "small mine" : "small"}
      aria-pressed={reactedByMe ?? false}
      onClick={() => void (reactedByMe ? chat.unreact(id, reaction) : chat.react(id, reaction)).catch(report)}
    >
      {reaction} {count > 0 && count}
    </button>
  ));
  const own = (
    <>
      <button className="small" onClick={() => edit(message)}>
        Edit
      </button>
      <button className="small" onClick={() => void chat.delete(id).catch(report)}>
        Delete
      </button>
    </>
  );
  return (
    <>
      {reactions}
      {message.sender === uid && own}
    </>
  );
}

/** What can be done with a message that waits or was refused. */
function waiting({ chat, message: { key, local } }: Shown) {
  if (!local) return undefined;
  return (
    <>
      {local.state === "failed" && (
        <button className="small" onClick={() => chat.retry(key)}>
          Send again
        </button>
      )}
      <button className="small" onClick={() => chat.discard(key)}>
        Discard
      </button>
    </>
  );
}
