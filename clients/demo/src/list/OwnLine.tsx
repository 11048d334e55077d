/** Who one is, and the settings. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { useSession } from "../chat/context.js";
import type { Look } from "../hooks/settings.js";
import { useQuery } from "../hooks/useQuery.js";
import { IconButton } from "../parts/IconButton.js";
import { PersonAvatar } from "../parts/PersonAvatar.js";
import { Popover } from "../parts/Popover.js";
import { LookMenu } from "./LookMenu.js";

interface Props {
  look: Look;
  onLook: (change: Partial<Look>) => void;
  onLeave: () => void;
}

export function OwnLine({ look, onLook, onLeave }: Props): VNode {
  const { chat, uid } = useSession();
  const me = useQuery(chat.me);
  const [isOpen, setOpen] = useState(false);
  return (
    <header class="own-line">
      <PersonAvatar user={me ?? { uid, name: uid, status: "offline", role: "default" } as never} />
      <span class="lines">
        <strong dir="auto">{me?.name ?? uid}</strong>
        <small class="faint">Hubbub demo</small>
      </span>
      <div class="popover-place">
        <IconButton icon="settings" label="Settings" isExpanded={isOpen} onClick={() => setOpen(!isOpen)} />
        {isOpen && (
          <Popover label="Settings" onClose={() => setOpen(false)}>
            <LookMenu look={look} onLook={onLook} onLeave={onLeave} />
          </Popover>
        )}
      </div>
    </header>
  );
}
