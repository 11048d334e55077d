/** What is there before a conversation is chosen. */

import type { VNode } from "preact";

import { Logo } from "../parts/Logo.js";

export function NoConversation({ onSwitch }: { onSwitch: () => void }): VNode {
  return (
    <main class="no-conversation">
      <Logo />
      <p>Choose a conversation, or find somebody to talk to.</p>
      <button type="button" class="button" onClick={onSwitch}>
        Find a person or group
      </button>
    </main>
  );
}
