/** Changes that are shown before the server has confirmed them. */

import type { MessageRow, Rows } from "./rows.js";

export type Show = (message: MessageRow) => MessageRow;

/** Shows messages as they will be. */
export class Overlay {
  private readonly changes = new Map<string, Show[]>();
  private readonly listeners = new Set<(id: string) => void>();

  constructor(private readonly rows: Rows) {}

  /** Shows a change of a message until the returned function is called. */
  add(id: string, show: Show): () => void {
    this.changes.set(id, [...(this.changes.get(id) ?? []), show]);
    this.tell(id);
    return () => {
      const left = (this.changes.get(id) ?? []).filter((each) => each !== show);
      if (left.length > 0) this.changes.set(id, left);
      else this.changes.delete(id);
      this.tell(id);
    };
  }

  /** The message as it will be; undefined if nothing changes it. */
  shown(id: string): MessageRow | undefined {
    const row = this.rows.get("messages", id);
    const changes = this.changes.get(id);
    return row && changes?.reduce((message, show) => show(message), row);
  }

  watch(listener: (id: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private tell(id: string): void {
    for (const listener of [...this.listeners]) listener(id);
  }
}
