/** Writes changes in their order; after a failure it goes on in memory, and says so. */

import type { Change, Storage } from "./rows.js";

export class Disk {
  private last: Promise<void> = Promise.resolve();
  error: Error | undefined;

  constructor(
    private storage: Storage | undefined,
    private readonly onFailure: () => void,
  ) {}

  /** Opens a storage; what fails leaves a disk that keeps nothing. */
  static async open(open: (() => Promise<Storage>) | undefined, onFailure: () => void): Promise<[Disk, Change[]]> {
    if (!open) return [new Disk(undefined, onFailure), []];
    try {
      const storage = await open();
      return [new Disk(storage, onFailure), await storage.load()];
    } catch (error) {
      const disk = new Disk(undefined, onFailure);
      disk.error = asError(error);
      return [disk, []];
    }
  }

  get kind(): "indexeddb" | "memory" {
    return this.storage?.kind ?? "memory";
  }

  write(changes: readonly Change[]): void {
    const { storage } = this;
    if (!storage) return;
    const next = async () => {
      // After a failure nothing more: a position must never be stored without the rows before it.
      if (this.storage === storage) await storage.write(changes);
    };
    this.last = this.last.then(next).catch((error: unknown) => this.fail(error));
  }

  /** Resolves once all changes so far are stored. */
  settled(): Promise<void> {
    return this.last;
  }

  close(): void {
    const { storage } = this;
    void this.last.then(() => {
      this.storage = undefined;
      storage?.close();
    });
  }

  /** What is stored stays as it was: rows and position belong together, so a later start resumes from there. */
  private fail(error: unknown): void {
    if (!this.storage) return;
    this.storage = undefined;
    this.error = asError(error);
    this.onFailure();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
