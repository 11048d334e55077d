/** Mentions while one writes: the text shows names, what is sent has the uids. */

export interface Mentionable {
  uid: string;
  name: string;
}

/** The part of a name that is being written before the caret, after an @. */
export function mentionBefore(text: string, caret: number): string | undefined {
  return /(?:^|[\s(])@([\p{L}\p{N}._-]{0,30})$/u.exec(text.slice(0, caret))?.[1];
}

/** Returns a text with tags instead of the names that were chosen. */
export function withTags(text: string, chosen: readonly Mentionable[]): string {
  const longestFirst = [...chosen].sort((one, other) => other.name.length - one.name.length);
  return longestFirst.reduce(
    (tagged, { uid, name }) => tagged.replaceAll(`@${name}`, uid === "all" ? "<@all>" : `<@uid:${uid}>`),
    text,
  );
}

/** Returns a stored text with names instead of tags, to be edited, and who is mentioned. */
export function withNames(text: string, names: Record<string, string>): [string, Mentionable[]] {
  const chosen: Mentionable[] = [];
  const named = text.replace(/<@(?:uid:([^>\s]+)|all)>/g, (_, uid: string | undefined) => {
    const found = { uid: uid ?? "all", name: uid === undefined ? "all" : (names[uid] ?? uid) };
    chosen.push(found);
    return `@${found.name}`;
  });
  return [named, chosen];
}
