/** How the page looks: scheme and direction. They are kept in the browser. */

import { useEffect, useState } from "preact/hooks";

export type Scheme = "system" | "light" | "dark";
export type Direction = "ltr" | "rtl";

export interface Look {
  scheme: Scheme;
  direction: Direction;
}

const KEY = "hubbub-demo-look";
const USUAL: Look = { scheme: "system", direction: "ltr" };

function load(): Look {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Look>) };
  } catch {
    return USUAL; // a browser that keeps nothing, or something else under this name
  }
}

function apply({ scheme, direction }: Look): void {
  const root = document.documentElement;
  root.dir = direction;
  if (scheme === "system") delete root.dataset["scheme"];
  else root.dataset["scheme"] = scheme;
}

export function useLook(): [Look, (change: Partial<Look>) => void] {
  const [look, setLook] = useState(load);
  useEffect(() => apply(look), [look]);
  const change = (some: Partial<Look>): void => {
    const next = { ...look, ...some };
    setLook(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // kept for this page only
    }
  };
  return [look, change];
}
