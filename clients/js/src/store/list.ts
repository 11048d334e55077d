/** A list of messages that somebody looks at. */

import type { ClientError } from "../errors.js";
import type { Source } from "./load.js";
import { Computed, Topic } from "./queries.js";
import type { Actions, Perform } from "./tabs.js";
import type { Gap, MessagesQuery, MessagesView } from "./types.js";

export interface ListState {
  isLoading: boolean;
  error?: ClientError;
}

type More<N extends keyof Actions> = Parameters<Actions[N]> extends [Source, ...infer Rest] ? Rest : never;

/** The messages of a list. Its newest page is loaded when somebody begins to listen. */
export class List implements MessagesQuery {
  private readonly view: Computed<MessagesView>;
  private state: ListState = { isLoading: false };
  isUsed = false;

  constructor(
    readonly source: Source,
    private readonly perform: Perform,
    compute: (state: ListState, before: MessagesView | undefined) => MessagesView,
  ) {
    const topic = new Topic((isUsed) => this.use(isUsed));
    this.view = new Computed(topic, (before) => compute(this.state, before));
  }

  get(): MessagesView {
    return this.view.get();
  }

  subscribe(listener: () => void): () => void {
    return this.view.subscribe(listener);
  }

  changed(): void {
    this.view.changed();
  }

  loadOlder(): Promise<void> {
    return this.view.get().hasOlder ? this.load("loadOlder") : Promise.resolve();
  }

  private use(isUsed: boolean): void {
    this.isUsed = isUsed;
    this.perform(isUsed ? "watch" : "unwatch", this.source).catch(() => undefined);
    if (isUsed) void this.load("loadNewest");
  }

  /** It is not shown as an error of the list if this fails: who asks for a message is told. */
  loadAround(messageId: string): Promise<boolean> {
    return this.perform("loadAround", this.source, messageId);
  }

  loadGap(gap: Gap, from: "after" | "before"): Promise<void> {
    return this.load("loadGap", gap, from);
  }

  private async load<N extends "loadNewest" | "loadOlder" | "loadGap">(name: N, ...more: More<N>): Promise<void> {
    if (this.state.isLoading) return;
    this.enter({ isLoading: true });
    try {
      await this.perform(name, ...([this.source, ...more] as unknown as Parameters<Actions[N]>));
      this.enter({ isLoading: false });
    } catch (error) {
      this.enter({ isLoading: false, error: error as ClientError });
    }
  }

  private enter(state: ListState): void {
    this.state = state;
    this.changed();
  }
}
