/** A button that shows an icon and is named by a label. */

import type { VNode } from "preact";

import type { IconName } from "./Icon.js";
import { Icon } from "./Icon.js";

interface Props {
  icon: IconName;
  label: string;
  onClick?: (event: MouseEvent) => void;
  class?: string;
  type?: "button" | "submit";
  isDisabled?: boolean;
  isPressed?: boolean | undefined;
  isExpanded?: boolean | undefined;
}

export function IconButton(props: Props): VNode {
  return (
    <button
      type={props.type ?? "button"}
      class={`icon-button ${props.class ?? ""}`}
      aria-label={props.label}
      title={props.label}
      disabled={props.isDisabled ?? false}
      aria-pressed={props.isPressed}
      aria-expanded={props.isExpanded}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}
