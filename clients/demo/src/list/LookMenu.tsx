/** The settings: light or dark, the direction of the page, and who one is. */

import type { VNode } from "preact";

import type { Direction, Look, Scheme } from "../hooks/settings.js";

interface Props {
  look: Look;
  onLook: (change: Partial<Look>) => void;
  onLeave: () => void;
}

const SCHEMES: Record<Scheme, string> = { system: "Like the system", light: "Light", dark: "Dark" };
const DIRECTIONS: Record<Direction, string> = { ltr: "Left to right", rtl: "Right to left" };

interface ChoiceProps<T extends string> {
  label: string;
  options: Record<T, string>;
  value: T;
  onChange: (value: T) => void;
}

function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>): VNode {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {(Object.keys(options) as T[]).map((each) => (
          <option key={each} value={each} selected={each === value}>
            {options[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

export function LookMenu({ look, onLook, onLeave }: Props): VNode {
  return (
    <div class="look-menu">
      <Choice label="Colours" options={SCHEMES} value={look.scheme} onChange={(scheme) => onLook({ scheme })} />
      <Choice
        label="Direction"
        options={DIRECTIONS}
        value={look.direction}
        onChange={(direction) => onLook({ direction })}
      />
      <button type="button" class="button" onClick={onLeave}>
        Choose another person
      </button>
    </div>
  );
}
