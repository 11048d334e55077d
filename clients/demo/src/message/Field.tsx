/** A field of a form, by its type. */

import type { ComponentChildren, VNode } from "preact";

import type { Element } from "../chat/data.js";

export type Value = string | string[];

interface Props {
  element: Element;
  /** Unique in the page. */
  name: string;
  value: Value | undefined;
  problem: string | undefined;
  isDisabled: boolean;
  onChange: (value: Value) => void;
}

const INPUT_TYPES = { date: "date", time: "time", dateTime: "datetime-local" } as const;

function Choices({ element, name, value, isDisabled, onChange }: Props): VNode {
  const isMany = element.elementType === "checkbox";
  const chosen = isMany ? ((value as string[] | undefined) ?? []) : [value as string];
  const toggle = (option: string): void => {
    if (!isMany) return onChange(option);
    onChange(chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option]);
  };
  return (
    <div class={element.elementType === "singleSelect" ? "options is-segmented" : "options"}>
      {element.options?.map(({ value: option, label }) => (
        <label key={option}>
          <input
            type={isMany ? "checkbox" : "radio"}
            name={name}
            checked={chosen.includes(option)}
            disabled={isDisabled}
            onChange={() => toggle(option)}
          />
          <span dir="auto">{label}</span>
        </label>
      ))}
    </div>
  );
}

function Input({ element, name, value, problem, isDisabled, onChange }: Props): VNode {
  const described = problem ? { "aria-invalid": true, "aria-describedby": `${name}-problem` } : {};
  const shared = { id: name, disabled: isDisabled, required: element.optional === false, ...described };
  if (element.elementType === "dropdown") {
    return (
      <select {...shared} value={(value as string | undefined) ?? ""} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">Choose…</option>
        {element.options?.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  const text = { ...shared, value: (value as string | undefined) ?? "", dir: "auto" as const };
  if (element.elementType === "dateTime") {
    return (
      <input
        {...text}
        type={INPUT_TYPES[element.mode ?? "dateTime"]}
        min={element.from}
        max={element.to}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const placeholder = element.placeholder?.text;
  return (element.maxLines ?? 1) > 1 ? (
    <textarea {...text} rows={Math.min(4, element.maxLines!)} placeholder={placeholder} onInput={(event) => onChange(event.currentTarget.value)} />
  ) : (
    <input {...text} type="text" placeholder={placeholder} onInput={(event) => onChange(event.currentTarget.value)} />
  );
}

function Problem({ name, text }: { name: string; text: string | undefined }): VNode | null {
  return text ? (
    <small class="field-problem" id={`${name}-problem`} role="alert">
      {text}
    </small>
  ) : null;
}

export function Field(props: Props): VNode {
  const { element, name, problem } = props;
  const title: ComponentChildren = (
    <>
      <bdi>{element.label}</bdi>
      {element.optional === false && <span class="faint"> (required)</span>}
    </>
  );
  if (element.elementType === "label") return <p dir="auto">{element.text}</p>;
  if (["checkbox", "radio", "singleSelect"].includes(element.elementType)) {
    return (
      <fieldset class="field">
        <legend>{title}</legend>
        <Choices {...props} />
        <Problem name={name} text={problem} />
      </fieldset>
    );
  }
  return (
    <div class="field">
      <label for={name}>{title}</label>
      <Input {...props} />
      <Problem name={name} text={problem} />
    </div>
  );
}
