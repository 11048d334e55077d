/** Hubbub's sign. */

import type { VNode } from "preact";

export function Logo(): VNode {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M6 4h20a4 4 0 0 1 4 4v11a4 4 0 0 1-4 4H15l-7 6v-6H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z" />
      <circle cx="10" cy="13.5" r="2" />
      <circle cx="16" cy="13.5" r="2" />
      <circle cx="22" cy="13.5" r="2" />
    </svg>
  );
}
