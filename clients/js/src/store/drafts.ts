/** What the person has begun to write: shown at once, told to the server when they pause, the same on all devices. */

import type { Client } from "../client.js";
import { ClientError, isPassing } from "../errors.js";
import type { Draft } from "../generated/schemas.js";
import type { DraftRow, Rows } from "./rows.js";

type Data = DraftRow["data"];

/** The fact that all drafts were read. */
const LOADED = "drafts";
const MOST = 1000;
const PAUSE_MS = 1000;
const RETRY_MS = 20_000;

/** Takes a draft as the server has it; one that is written here counts more, and is told to the server soon. */
export function takeDraft(rows: Rows, id: string, data: Data): void {
  const known = rows.get("drafts", id);
  if (known?.isWaiting || (known && JSON.stringify(known.data) === JSON.stringify(data))) return;
  if (data) rows.put("drafts", id, { data, isStored: true });
  else rows.remove("drafts", id);
}

/** Reads drafts if somebody asks for one, and writes what is changed here. */
export class Drafts {
  private isUsed = false;
  private isClosed = false;
  private readonly timers = new Map<string, () => void>();
  private readonly writing = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly rows: Rows,
  ) {}

  close(): void {
    this.isClosed = true;
    for (const cancel of this.timers.values()) cancel();
  }

  /** Reads them once; from then on events keep them right. */
  watch(): void {
    this.isUsed = true;
    this.load();
  }

  /** Writes what waits, and reads all if events may have been missed. */
  connected(isResumed: boolean): void {
    if (!isResumed) this.rows.transaction(() => this.rows.remove("facts", LOADED));
    for (const [id, { isWaiting }] of this.rows.all("drafts")) if (isWaiting) this.writeSoon(id);
    this.load();
  }

  set(id: string, data: Data): void {
    const known = this.rows.get("drafts", id);
    const isStored = known ? known.isStored : !this.rows.get("facts", LOADED);
    this.rows.transaction(() => {
      if (data ?? isStored) this.rows.put("drafts", id, { ...(data ? { data } : {}), isStored, isWaiting: true });
      else this.rows.remove("drafts", id);
    });
    this.writeSoon(id);
  }

  private load(): void {
    if (!this.isUsed || this.isClosed || this.client.state.name !== "connected" || this.rows.get("facts", LOADED)) return;
    this.read().catch((error: unknown) => {
      if (isPassing(error)) this.client.env.after(RETRY_MS, () => this.load());
    });
  }

  private async read(): Promise<void> {
    const { rows } = this;
    const since = rows.version;
    const { data } = await this.client.request<Draft[]>("GET", "/drafts", { query: { perPage: MOST } });
    const there = new Map(data.map((each) => [each.conversationId, each.data]));
    rows.transaction(() => {
      for (const id of [...there.keys(), ...[...rows.all("drafts")].map(([key]) => key)]) {
        if (!rows.hasChanged("drafts", id, since)) takeDraft(rows, id, there.get(id));
      }
      rows.put("facts", LOADED, true);
    });
  }

  private writeSoon(id: string, wait = PAUSE_MS): void {
    this.timers.get(id)?.();
    if (!this.isClosed) this.timers.set(id, this.client.env.after(wait, () => void this.write(id)));
  }

  /** Tells the server of a draft as it is now; of one after the other. */
  private async write(id: string): Promise<void> {
    const { rows } = this;
    const row = rows.get("drafts", id);
    if (this.writing.has(id)) return this.writeSoon(id);
    this.timers.delete(id);
    if (!row?.isWaiting) return;
    const { data } = row;
    this.writing.add(id);
    rows.transaction(() => rows.put("drafts", id, { ...row, isStored: true })); // it may be, also without an answer
    let isRefused = false;
    let isDone = true;
    try {
      const path = `/conversations/${encodeURIComponent(id)}/draft`;
      await this.client.request(data ? "PUT" : "DELETE", path, data && { body: { data } });
    } catch (error) {
      isRefused = error instanceof ClientError && !isPassing(error);
      isDone = isRefused; // what is refused stays here alone
    }
    this.writing.delete(id);
    if (this.timers.has(id)) return; // it was changed meanwhile
    if (!isDone) return this.writeSoon(id, RETRY_MS);
    if (!rows.get("drafts", id)) return; // the chat was erased
    rows.transaction(() => {
      if (data) rows.put("drafts", id, { data, isStored: !isRefused });
      else rows.remove("drafts", id);
    });
  }
}
