/** The icons: lines on a grid of 24, in the colour of the text. */

import type { VNode } from "preact";

const PATHS = {
  alert: "M12 8v5M12 16.5v.01M12 3.5 2.8 19.5h18.4z",
  attach: "M20 11.5 12.4 19a5 5 0 0 1-7.1-7.1l8-8a3.3 3.3 0 0 1 4.8 4.7l-8 8a1.7 1.7 0 0 1-2.4-2.4l7.3-7.3",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.500l1.500 2h-15zM10 21h4",
  back: "M15 5l-7 7 7 7",
  check: "M4.5 12.5l5 5 10-11",
  checks: "M1.5 12.5l5 5 9.5-11M11 16l1.5 1.5 10-11",
  clock: "M12 7v5l3.5 2M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  down: "M12 5v14M6 13l6 6 6-6",
  edit: "M4 20l1-4L16.5 4.5l3 3L8 19zM14 7l3 3",
  emoji: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM8.5 14.5c2 2.3 5 2.3 7 0M9 9.5v.5M15 9.5v.5",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
  info: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v5M12 8v.01",
  more: "M5 12v.01M12 12v.01M19 12v.01",
  people: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.4-3.8 3-6 6.500-6s6.100 2.200 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6M18 14.500c2 .8 3.200 2.700 3.500 5.500",
  plus: "M12 5v14M5 12h14",
  poll: "M5 20v-8M12 20V4M19 20v-5",
  quote: "M4 6v6a4 4 0 0 0 4 4h12M15 11l5 5-5 5",
  retry: "M4.500 12a7.500 7.500 0 1 1 2 5.100M4.500 20v-4h4",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16.200 16.200 21 21",
  send: "M4 12 3 4.500l18 7.500-18 7.500zM4 12h8",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
  stop: "M7 7h10v10H7z",
  thread: "M4 5h16v11h-9l-4 4v-4H4zM8 9h8M8 12.500h5",
  trash: "M4 7h16M9 7V4h6v3M6.500 7l1 13h9l1-13M10 11v5M14 11v5",
} as const;

export type IconName = keyof typeof PATHS;

interface Props {
  name: IconName;
  /** What it means, if no text beside it says so. */
  label?: string;
}

export function Icon({ name, label }: Props): VNode {
  const isMirrored = name === "back" || name === "send" || name === "quote";
  return (
    <svg
      class={isMirrored ? "icon is-mirrored" : "icon"}
      viewBox="0 0 24 24"
      {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" })}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
