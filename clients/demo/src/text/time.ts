/** Times in the reader's own language and time zone. */

const DAY_MS = 86_400_000;
const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const withYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
const shortDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

const daysAgo = (at: number, now: number): number => Math.round((midnight(now) - midnight(at)) / DAY_MS);

export const timeText = (seconds: number): string => time.format(seconds * 1000);

export const wholeText = (seconds: number): string => whole.format(seconds * 1000);

export const isoText = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The time of a conversation's last message: as short as it can be. */
export function shortText(seconds: number, now: number): string {
  const ago = daysAgo(seconds * 1000, now);
  if (ago <= 0) return timeText(seconds);
  if (ago === 1) return "Yesterday";
  return ago < 7 ? weekday.format(seconds * 1000) : shortDay.format(seconds * 1000);
}

/** The day above its messages. */
export function dayText(seconds: number, now = Date.now()): string {
  const ago = daysAgo(seconds * 1000, now);
  if (ago <= 0) return "Today";
  if (ago === 1) return "Yesterday";
  return ago < 300 ? longDay.format(seconds * 1000) : withYear.format(seconds * 1000);
}

export const isSameDay = (one: number, other: number): boolean => midnight(one * 1000) === midnight(other * 1000);

/** Times for what is to happen later, by what they are called. */
export function laterTimes(): Record<string, number> {
  const morning = (days: number): number => {
    const at = new Date();
    at.setDate(at.getDate() + days);
    return Math.floor(at.setHours(9, 0, 0, 0) / 1000);
  };
  return { "In an hour": Math.floor(Date.now() / 1000) + 3600, Tomorrow: morning(1), "Next week": morning(7) };
}

/** How long ago somebody was here. */
export function agoText(seconds: number, now: number): string {
  const minutes = Math.round((now / 1000 - seconds) / 60);
  if (minutes < 2) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 60 * 24) return `${Math.round(minutes / 60)} h ago`;
  return shortText(seconds, now);
}
