/** Values that change, for what is shown. */

import { tell } from "../emitter.js";
import type { Query } from "./types.js";

/** Calls listeners once after several changes. */
export class Topic {
  private readonly listeners = new Set<() => void>();
  private isTold = true;

  constructor(private readonly onUse?: (isUsed: boolean) => void) {}

  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.listeners.add(own);
    if (this.listeners.size === 1) this.onUse?.(true);
    return () => {
      if (this.listeners.delete(own) && this.listeners.size === 0) this.onUse?.(false);
    };
  }

  changed(): void {
    if (!this.isTold) return;
    this.isTold = false;
    queueMicrotask(() => {
      this.isTold = true;
      for (const listener of [...this.listeners]) tell(listener);
    });
  }
}

/** A value that is computed when it is read after a change. */
export class Computed<T> implements Query<T> {
  private value: T | undefined;
  private isStale = true;

  constructor(
    private readonly topic: Topic,
    private readonly compute: (before: T | undefined) => T,
  ) {}

  get(): T {
    if (this.isStale) {
      this.value = this.compute(this.value);
      this.isStale = false;
    }
    return this.value as T;
  }

  subscribe(listener: () => void): () => void {
    return this.topic.subscribe(listener);
  }

  changed(): void {
    this.isStale = true;
    this.topic.changed();
  }
}
