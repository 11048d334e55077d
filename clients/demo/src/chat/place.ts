/** Where the person is: a conversation, and what is beside it. It is in the address, so that Back works. */

import { useEffect, useState } from "preact/hooks";

export type Panel = "thread" | "details" | "search" | "message";

export interface Place {
  conversation?: string;
  panel?: Panel;
  /** The message of a thread, or the one to be shown. */
  message?: string;
}

function read(): Place {
  const [conversation, panel, message] = location.hash
    .replace(/^#\/?/, "")
    .split("/")
    .map(decoded);
  return {
    ...(conversation ? { conversation } : {}),
    ...(panel ? { panel: panel as Panel } : {}),
    ...(message ? { message } : {}),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an address that somebody has typed
  }
}

export function go(place: Place, { replace = false } = {}): void {
  const parts = [place.conversation, place.panel, place.message].filter((part) => part !== undefined);
  const address = `#/${parts.map(encodeURIComponent).join("/")}`;
  if (replace) {
    history.replaceState(null, "", address);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else if (location.hash !== address) {
    location.hash = address;
  }
}

export function usePlace(): Place {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const update = (): void => setPlace(read());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return place;
}
