/** The signed-in person's session, for all components below. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import type { Session } from "./types.js";

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("Nobody is signed in.");
  return session;
}
