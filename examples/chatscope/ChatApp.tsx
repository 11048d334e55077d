/** A chat made of the components of `@chatscope/chat-ui-kit-react`, fed by the store. */

import { useEffect, useRef, useState } from "react";
import {
  Avatar,
  ChatContainer,
  Conversation,
  ConversationHeader,
  ConversationList,
  InputToolbox,
  MainContainer,
  MessageInput,
  MessageList,
  Sidebar,
  TypingIndicator,
} from "@chatscope/chat-ui-kit-react";
import type { Chat, ConversationView, MessageView, Receiver } from "@hubbub/client/store";
import { useHubbub } from "../react/useHubbub.js";
import { messageElement } from "./messageElement.js";
import { escapeHtml, isShown, lastTextOf, nameOf, textOf } from "./views.js";

interface ChatProps {
  chat: Chat;
  uid: string;
  /** The interface of the server. */
  url: string;
}

export function ChatApp({ chat, uid, url }: ChatProps) {
  const conversations = useHubbub(chat.conversations());
  const { connection, storageError } = useHubbub(chat.status);
  const [open, setOpen] = useState<string>();
  const conversation = conversations.find(({ conversationId }) => conversationId === open);
  const rows = conversations.map((each) => (
    <Conversation
      key={each.conversationId}
      name={nameOf(each)}
      info={each.typing.length > 0 ? "is typing …" : lastTextOf(each.lastMessage)}
      unreadCnt={each.unreadMessageCount}
      active={each.conversationId === open}
      onClick={() => setOpen(each.conversationId)}
    >
      <Picture as="Avatar" chat={chat} conversation={each} />
    </Conversation>
  ));
  return (
    <MainContainer className={conversation && "has-open"}>
      <Sidebar position="left">
        {connection.name !== "connected" && <p className="state">Connecting …</p>}
        {storageError && <p className="state">This browser stores nothing: a reload forgets what waits.</p>}
        <ConversationList>{rows}</ConversationList>
      </Sidebar>
      {conversation ? (
        <OpenConversation key={open} {...{ chat, uid, url, conversation }} close={() => setOpen(undefined)} />
      ) : (
        <p className="empty">Choose a conversation.</p>
      )}
    </MainContainer>
  );
}

/** The kit recognizes what stands for one of its elements by `as`. */
function Picture({ chat, conversation: { conversationWith } }: PictureProps) {
  const status = useHubbub("uid" in conversationWith ? chat.presence(conversationWith.uid) : undefined);
  return (
    <Avatar {...(status ? { status: status === "available" ? "available" : "invisible" } : {})}>
      <span className="initial">{conversationWith.name.slice(0, 1)}</span>
    </Avatar>
  );
}

interface PictureProps {
  as: "Avatar";
  chat: Chat;
  conversation: ConversationView;
}

function receiverOf({ conversationWith }: ConversationView): Receiver {
  return "guid" in conversationWith ? { guid: conversationWith.guid } : { uid: conversationWith.uid };
}

interface OpenProps extends ChatProps {
  conversation: ConversationView;
  close(): void;
}

function OpenConversation({ chat, uid, url, conversation, close }: OpenProps) {
  const { conversationId, unreadMessageCount, typing } = conversation;
  const query = chat.messages(conversationId);
  const { messages, isLoading } = useHubbub(query);
  const [html, setHtml] = useState("");
  const [edited, setEdited] = useState<MessageView>();
  const files = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (unreadMessageCount > 0 && document.visibilityState === "visible") chat.markRead(conversationId);
  }, [chat, conversationId, unreadMessageCount]);

  const change = (value: string) => {
    setHtml(value);
    chat.type(conversationId);
  };
  const edit = (message: MessageView) => {
    setEdited(message);
    setHtml(escapeHtml(textOf(message)));
  };
  const send = (_html: string, _text: string, shown: string) => {
    const text = shown.trim();
    if (edited?.id) chat.edit(edited.id, { text }).catch(report);
    else if (text) chat.send(receiverOf(conversation), { text });
    setEdited(undefined);
    setHtml("");
  };
  const attach = ({ target }: { target: HTMLInputElement }) => {
    chat.send(receiverOf(conversation), { files: [...(target.files ?? [])] });
    target.value = "";
  };
  const status = typing.length > 0 ? `${typing.map(({ name }) => name).join(", ")} is typing` : undefined;
  return (
    <ChatContainer>
      <ConversationHeader>
        <ConversationHeader.Back onClick={close} />
        <Picture as="Avatar" chat={chat} conversation={conversation} />
        <ConversationHeader.Content userName={nameOf(conversation)} />
      </ConversationHeader>
      <MessageList
        loadingMore={isLoading}
        onYReachStart={() => void query.loadOlder()}
        disableOnYReachWhenNoScroll
        scrollBehavior="auto"
        typingIndicator={status && <TypingIndicator content={status} />}
      >
        {messages.filter(isShown).map((message) => messageElement({ chat, uid, url, message, edit, report }))}
      </MessageList>
      <MessageInput
        placeholder={edited ? "Change the message" : "Write a message"}
        value={html}
        onChange={change}
        onSend={send}
        onAttachClick={() => files.current?.click()}
        activateAfterChange
        autoFocus
      />
      <InputToolbox hidden>
        <input ref={files} type="file" multiple aria-label="Files" onChange={attach} />
      </InputToolbox>
    </ChatContainer>
  );
}

/** Shows why the server has refused a change, which the store has taken back. */
function report(error: Error): void {
  alert(error.message);
}
