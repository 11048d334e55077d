/** Those who can be mentioned, while a name is written after an @. */

import type { VNode } from "preact";

import { Avatar } from "../parts/Avatar.js";
import type { Mentionable } from "../text/mentions.js";

interface Props {
  people: readonly Mentionable[];
  selected: number;
  onPick: (person: Mentionable) => void;
}

export function MentionMenu({ people, selected, onPick }: Props): VNode {
  return (
    <ul class="mention-menu" id="mention-menu" role="listbox" aria-label="Mention somebody">
      {people.map((person, index) => (
        <li
          key={person.uid}
          id={`mention-${person.uid}`}
          role="option"
          aria-selected={index === selected}
          onMouseDown={(event) => {
            event.preventDefault(); // the focus stays in the text
            onPick(person);
          }}
        >
          <Avatar id={person.uid} name={person.name} size="small" />
          <span dir="auto">{person.name}</span>
        </li>
      ))}
    </ul>
  );
}
