/** The people of the demo, and their tokens, which this server gives to pages of its own only. */

import type { Person } from "./types.js";

async function ask<T>(method: string, path: string): Promise<T> {
  const answer = await fetch(path, { method, headers: { accept: "application/json" } });
  const body = (await answer.json()) as { data: T; error?: { message: string } };
  if (!answer.ok) throw new Error(body.error?.message ?? `The server answered ${answer.status}.`);
  return body.data;
}

export const listPeople = (): Promise<Person[]> => ask("GET", "/demo/people");

export async function fetchToken(uid: string): Promise<string> {
  const path = `/demo/people/${encodeURIComponent(uid)}/token`;
  return (await ask<{ authToken: string }>("POST", path)).authToken;
}
