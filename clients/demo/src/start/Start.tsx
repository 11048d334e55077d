/** The first page: as whom does one want to chat? */

import type { VNode } from "preact";

import { listPeople } from "../chat/people.js";
import type { Person } from "../chat/types.js";
import { moveFocus } from "../hooks/useArrows.js";
import { useAsync } from "../hooks/useAsync.js";
import { Logo } from "../parts/Logo.js";
import { PersonChoice } from "./PersonChoice.js";

export function Start({ onChoose }: { onChoose: (person: Person) => void }): VNode {
  const [people, load] = useAsync(listPeople, []);
  return (
    <main class="start">
      <section class="start-card" aria-busy={people.isLoading}>
        <Logo />
        <h1>Who do you want to be?</h1>
        <p>
          Choose a person to chat as. Open a second window and choose another one, and talk to each other: everything
          stays on this server.
        </p>
        {people.error && (
          <div class="problem" role="alert">
            <p>{people.error.message}</p>
            <button type="button" class="button" onClick={load}>
              Try again
            </button>
          </div>
        )}
        {people.isLoading && !people.value && <p class="faint">Loading…</p>}
        <ul class="people" aria-label="People" onKeyDown={(event) => moveFocus(event, "button")}>
          {people.value
            ?.filter((person) => !person.isBot)
            .map((person) => (
              <PersonChoice key={person.uid} person={person} onChoose={onChoose} />
            ))}
        </ul>
        <p class="faint">
          <a href="/docs">API reference</a> · <a href="/">About this server</a>
        </p>
      </section>
    </main>
  );
}
