/** A form to fill in; its sender sees what was submitted. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Element, Interactive } from "../chat/data.js";
import { dataOf } from "../chat/data.js";
import type { MessageView } from "../chat/types.js";
import { Icon } from "../parts/Icon.js";
import { inPattern } from "../text/pattern.js";
import { ElementButton } from "./ElementButton.js";
import type { Value } from "./Field.js";
import { Field } from "./Field.js";
import { Submissions } from "./Submissions.js";

interface Props {
  message: MessageView;
  form: Interactive;
}

type Problems = Record<string, string>;

const hasValue = (value: Value | undefined): value is Value => value !== undefined && value.length > 0;

/** Returns what is submitted: dates in the pattern of their element. */
function submitted(elements: Element[], values: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(
    elements
      .map(({ elementId, dateTimeFormat }): [string, Value | undefined] => {
        const value = values[elementId];
        return [elementId, typeof value === "string" ? inPattern(value, dateTimeFormat) : value];
      })
      .filter((entry): entry is [string, Value] => hasValue(entry[1])),
  );
}

/** Returns the sentences about required elements without a value, which need not be sent to be refused. */
function missing(elements: Element[], values: Record<string, Value>): Problems {
  const empty = elements.filter(({ elementId, optional }) => optional === false && !hasValue(values[elementId]));
  return Object.fromEntries(empty.map(({ elementId }) => [elementId, "This is required."]));
}

/** Returns the sentences of a refusal by element. */
function problemsOf(error: unknown): Problems {
  const { details, message } = error as { details?: Record<string, string[]>; message: string };
  const entries = Object.entries(details ?? {}).map(([name, said]) => [name.replace("formData.", ""), said.join(" ")]);
  return entries.length > 0 ? (Object.fromEntries(entries) as Problems) : { "": message };
}

export function Form({ message, form }: Props): VNode {
  const { rest, uid } = useSession();
  const elements = form.formFields ?? [];
  const { interactions = [], allowSenderInteraction } = dataOf(message);
  const usual = elements.filter(({ defaultValue }) => defaultValue !== undefined);
  const [values, setValues] = useState<Record<string, Value>>(() =>
    Object.fromEntries(usual.map(({ elementId, defaultValue }) => [elementId, defaultValue!])),
  );
  const [problems, setProblems] = useState<Problems>({});
  const [state, setState] = useState<"open" | "sending" | "done">("open");
  const submit = form.submitElement;
  const isUsed = interactions.some(({ elementId }) => elementId === submit?.elementId);
  const isDone = state === "done" || isUsed;
  const isSender = message.sender === uid && !allowSenderInteraction;
  const isDisabled = isSender || message.id === undefined || state === "sending" || isDone;

  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const left = missing(elements, values);
    setProblems(left);
    if (Object.keys(left).length > 0) return;
    setState("sending");
    rest("POST", `/messages/${message.id}/submissions`, { body: { formData: submitted(elements, values) } }).then(
      () => setState("done"),
      (error: unknown) => {
        setProblems(problemsOf(error));
        setState("open");
      },
    );
  };
  return (
    <form class="form" noValidate onSubmit={onSubmit} aria-label={form.title ?? "Form"}>
      {form.title && <h2 dir="auto">{form.title}</h2>}
      {form.text && <p dir="auto">{form.text}</p>}
      {elements.map((element) =>
        element.elementType === "button" ? (
          <ElementButton key={element.elementId} message={message} element={element} />
        ) : (
          <Field
            key={element.elementId}
            element={element}
            name={`${message.key}-${element.elementId}`}
            value={values[element.elementId]}
            problem={problems[element.elementId]}
            isDisabled={isDisabled}
            onChange={(value) => setValues({ ...values, [element.elementId]: value })}
          />
        ),
      )}
      {problems[""] && (
        <small class="field-problem" role="alert">
          {problems[""]}
        </small>
      )}
      {isDone ? (
        <p class="form-done" role="status">
          <Icon name="check" /> <bdi>{form.goalCompletionText ?? "Submitted. Thank you!"}</bdi>
        </p>
      ) : isSender ? (
        <Submissions message={message} elements={elements} />
      ) : (
        <button type="submit" class="button is-primary" disabled={isDisabled}>
          {submit?.buttonText ?? "Submit"}
        </button>
      )}
    </form>
  );
}
