/** What a message says: a quote, files, a text, a form, a card or a poll. */

import type { VNode } from "preact";

import { useSession } from "../chat/context.js";
import type { PollData } from "../chat/data.js";
import { dataOf, isDeleted, typeOf } from "../chat/data.js";
import { heldFiles } from "../chat/localFiles.js";
import { namesOf } from "../chat/names.js";
import type { MessageView } from "../chat/types.js";
import { Markdown } from "../text/Markdown.js";
import { Attachments } from "./Attachments.js";
import { Card } from "./Card.js";
import { Form } from "./Form.js";
import { Growing } from "./Growing.js";
import { Poll } from "./Poll.js";
import { Quote } from "./Quote.js";

export function MessageContent({ message }: { message: MessageView }): VNode {
  const { uid } = useSession();
  if (isDeleted(message)) return <p class="is-deleted">This message was deleted.</p>;
  const data = dataOf(message);
  const files = data.attachments ?? heldFiles(message.key) ?? [];
  const quoted = message.quotedMessage as MessageView | undefined;
  return (
    <>
      {quoted && <Quote message={quoted} conversationId={message.conversationId} />}
      {files.length > 0 && <Attachments files={files} messageId={message.id} />}
      {data.text !== undefined && (
        <div class="text">
          <Markdown text={data.text} names={namesOf(message)} uid={uid} />
        </div>
      )}
      {(data.growing || data.grown) && <Growing message={message} />}
      {data.interactiveData && typeOf(message) === "form" && <Form message={message} form={data.interactiveData} />}
      {data.interactiveData && typeOf(message) !== "form" && <Card message={message} card={data.interactiveData} />}
      {data.question !== undefined && typeOf(message) === "poll" && (
        <Poll message={message} data={data as unknown as PollData} />
      )}
      {message.category === "custom" && data.text === undefined && <p class="faint">A message of the app.</p>}
    </>
  );
}
