/** Dates in the pattern that an element of a form asks for, such as dd.MM.yyyy HH:mm. */

const NAMES: Record<string, Intl.DateTimeFormatOptions> = {
  MMMM: { month: "long" },
  MMM: { month: "short" },
  EEEE: { weekday: "long" },
  EEE: { weekday: "short" },
};

/** Returns the value of an input, such as 2026-01-31T09:30, in a pattern. */
export function inPattern(value: string, pattern: string | undefined): string {
  if (!pattern || !value) return value;
  const hasDate = value.includes("-");
  const at = new Date(hasDate ? value : `2000-01-01T${value}`);
  const two = (number: number): string => String(number).padStart(2, "0");
  const part = (token: string): string => {
    const name = NAMES[token];
    if (name !== undefined) return new Intl.DateTimeFormat("en-US", name).format(at);
    const numbers: Record<string, number> = {
      y: at.getFullYear(),
      M: at.getMonth() + 1,
      d: at.getDate(),
      H: at.getHours(),
      h: at.getHours() % 12 || 12,
      m: at.getMinutes(),
      s: at.getSeconds(),
    };
    const number = numbers[token[0] ?? ""];
    if (number === undefined) return at.getHours() < 12 ? "AM" : "PM";
    if (token === "yy") return two(number % 100);
    return token.length === 1 ? String(number) : two(number);
  };
  return pattern.replace(/y+|M+|d+|E+|H+|h+|m+|s+|a+/g, part);
}
