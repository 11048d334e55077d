/** A card: a picture, a text and buttons. Kinds that this page does not know show what they share with it. */

import type { VNode } from "preact";

import type { Interactive } from "../chat/data.js";
import { isOwnUrl } from "../chat/data.js";
import type { MessageView } from "../chat/types.js";
import { ElementButton } from "./ElementButton.js";

export function Card({ message, card }: { message: MessageView; card: Interactive }): VNode {
  const { title, text, imageUrl, cardActions = [] } = card;
  return (
    <div class="card">
      {imageUrl && isOwnUrl(imageUrl) && <img src={imageUrl} alt="" loading="lazy" />}
      {title && <h2 dir="auto">{title}</h2>}
      {text && <p dir="auto">{text}</p>}
      {!title && !text && <p class="faint">This page does not show messages of the type {message.type}.</p>}
      <div class="card-actions">
        {cardActions.map((element) => (
          <ElementButton key={element.elementId} message={message} element={element} />
        ))}
      </div>
    </div>
  );
}
