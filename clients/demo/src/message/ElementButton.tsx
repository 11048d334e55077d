/** A button of a card or a form. The server notes who used it; calls to other servers are left to the app. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Element } from "../chat/data.js";
import { dataOf, safeUrl } from "../chat/data.js";
import type { MessageView } from "../chat/types.js";
import { Icon } from "../parts/Icon.js";
import { tellProblem } from "../parts/Toast.js";

export function ElementButton({ message, element }: { message: MessageView; element: Element }): VNode {
  const { rest, uid } = useSession();
  const [isPressed, setPressed] = useState(false);
  const { interactions = [], allowSenderInteraction } = dataOf(message);
  const { elementId, buttonText, disableAfterInteracted, action } = element;
  const isUsed = isPressed || interactions.some((each) => each.elementId === elementId);
  const isSender = message.sender === uid && !allowSenderInteraction;
  const leadsTo = /^(urlNavigation|deepLinkAction)$/.test(action?.actionType ?? "") ? safeUrl(action?.url) : undefined;
  const press = (): void => {
    if (leadsTo !== undefined) open(leadsTo, "_blank", "noopener,noreferrer");
    if (isSender || message.id === undefined) return;
    const marking = rest("PATCH", `/messages/${message.id}/interacted`, { body: { interactions: [elementId] } });
    marking.then(() => setPressed(true), tellProblem);
  };
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isUsed}
      disabled={(isUsed && disableAfterInteracted === true) || (isSender && leadsTo === undefined)}
      onClick={press}
    >
      {isUsed && <Icon name="check" />}
      <bdi>{buttonText ?? elementId}</bdi>
    </button>
  );
}
