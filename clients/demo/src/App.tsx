/** The page: first the choice of a person, then their chat. A reload keeps the person, a new tab does not. */

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { SessionContext } from "./chat/context.js";
import { go } from "./chat/place.js";
import type { Session } from "./chat/types.js";
import { useLook } from "./hooks/settings.js";
import { Shell } from "./Shell.js";
import { Start } from "./start/Start.js";
import { Toast, tellProblem } from "./parts/Toast.js";

const KEY = "hubbub-demo-person";
/** The code with which a chat ends that was erased. */
const ERASED = 1000;

interface Props {
  open: (uid: string) => Promise<Session>;
}

export function App({ open }: Props): VNode {
  const [uid, setUid] = useState(() => sessionStorage.getItem(KEY) ?? "");
  const [session, setSession] = useState<Session>();
  const [look, changeLook] = useLook();

  const choose = (chosen: string): void => {
    sessionStorage.setItem(KEY, chosen);
    setUid(chosen);
  };
  const leave = (): void => {
    sessionStorage.removeItem(KEY);
    setSession(undefined);
    setUid("");
    go({}, { replace: true });
  };
  const signOut = (): void => {
    session?.chat.erase().catch(tellProblem);
    leave();
  };
  useEffect(() => {
    // Signed out in another tab: nothing of this person is shown here either.
    return session?.chat.status.subscribe(() => {
      const { connection } = session.chat.status.get();
      if (connection.name === "ended" && connection.code === ERASED) leave();
    });
  }, [session]);
  useEffect(() => {
    let isWanted = uid !== "";
    if (!isWanted) return undefined;
    open(uid).then(
      (opened) => (isWanted ? setSession(opened) : void opened.chat.close()),
      (problem: unknown) => {
        tellProblem(problem);
        if (isWanted) leave();
      },
    );
    return () => void (isWanted = false);
  }, [uid]);

  return (
    <>
      {uid === "" && <Start onChoose={(person) => choose(person.uid)} />}
      {uid !== "" && !session && <main class="start" aria-busy="true" aria-label="Opening the chat" />}
      {session && (
        <SessionContext.Provider value={session}>
          <Shell look={look} onLook={changeLook} onLeave={signOut} />
        </SessionContext.Provider>
      )}
      <Toast />
    </>
  );
}
