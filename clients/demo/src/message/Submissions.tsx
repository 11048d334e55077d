/** What was submitted of one's own form. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Element } from "../chat/data.js";
import type { MessageView } from "../chat/types.js";
import { useNames } from "../chat/useNames.js";
import { tellProblem } from "../parts/Toast.js";
import type { Value } from "./Field.js";

interface Submission {
  id: string;
  uid: string;
  formData: Record<string, Value>;
}

function valueText(element: Element | undefined, value: Value): string {
  const labels = new Map(element?.options?.map((option) => [option.value, option.label]));
  return [value].flat().map((each) => labels.get(each) ?? each).join(", ");
}

export function Submissions({ message, elements }: { message: MessageView; elements: Element[] }): VNode {
  const { rest } = useSession();
  const nameOf = useNames();
  const [found, setFound] = useState<Submission[]>();
  const load = (): void => {
    const loading = rest<Submission[]>("GET", `/messages/${message.id}/submissions`);
    loading.then(({ data }) => setFound(data), tellProblem);
  };
  const byId = new Map(elements.map((element) => [element.elementId, element]));
  return (
    <div class="submissions">
      <button type="button" class="button is-small" disabled={message.id === undefined} onClick={load}>
        {found ? "Load answers again" : "Show answers"}
      </button>
      {found?.length === 0 && <p class="faint">No answers yet.</p>}
      {found?.map((each) => (
        <dl key={each.id}>
          <dt>
            <bdi>{nameOf(each.uid)}</bdi>
          </dt>
          {Object.entries(each.formData).map(([name, value]) => (
            <dd key={name} dir="auto">
              {byId.get(name)?.label ?? name}: {valueText(byId.get(name), value)}
            </dd>
          ))}
        </dl>
      ))}
    </div>
  );
}
