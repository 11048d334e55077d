/** Writes changes in their order; after a failure it goes on in memory, and says so. */

import type { Environment } from "../environment.js";
import type { Change, Storage } from "./rows.js";

/** Some browsers, now and then, never answer that a database is to be opened. */
const LONGEST_ANSWER_MS = 10_000;

export class Disk {
  private last: Promise<void> = Promise.resolve();
  error: Error | undefined;

  constructor(
    private storage: Storage | undefined,
    private readonly onFailure: () => void,
  ) {}

  /** Opens a storage; what fails leaves a disk that keeps nothing. */
  static async open(
    open: (() => Promise<Storage>) | undefined,
    onFailure: () => void,
    env: Pick<Environment, "after">,
  ): Promise<[Disk, Change[]]> {
    if (!open) return [new Disk(undefined, onFailure), []];
    try {
      const [storage, changes] = await inTime(openAndLoad(open), env, ([late]) => late.close());
      return [new Disk(storage, onFailure), changes];
    } catch (error) {
      const disk = new Disk(undefined, onFailure);
      disk.error = asError(error);
      return [disk, []];
    }
  }

  /** Erases a storage. Rejects if it can't be opened, or does not answer in time. */
  static async erase(open: (() => Promise<Storage>) | undefined, env: Pick<Environment, "after">): Promise<void> {
    if (!open) return;
    const storage = await inTime(open(), env, (late) => late.close());
    await inTime(storage.erase(), env);
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

async function openAndLoad(open: () => Promise<Storage>): Promise<[Storage, Change[]]> {
  const storage = await open();
  return [storage, await storage.load()];
}

/** Rejects if the storage takes too long; what comes too late is given to `tooLate`. */
function inTime<T>(work: Promise<T>, env: Pick<Environment, "after">, tooLate?: (result: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancel = env.after(LONGEST_ANSWER_MS, () => {
      isLate = true;
      reject(new Error("The storage did not answer in time."));
    });
    work.then(
      (result) => {
        cancel();
        if (isLate) tooLate?.(result);
        else resolve(result);
      },
      (error: unknown) => {
        cancel();
        reject(error as Error);
      },
    );
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
