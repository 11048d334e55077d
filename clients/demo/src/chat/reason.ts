/** Why something was refused: what is said of its fields, or else of the whole. */

interface Problem {
  message?: string;
  details?: unknown;
}

export function reasonOf(problem: unknown): string {
  const { message, details } = problem as Problem;
  const said = Object.values((details ?? {}) as Record<string, unknown>)
    .flat()
    .filter((each) => typeof each === "string");
  return said.length > 0 ? said.join(" ") : (message ?? String(problem));
}
