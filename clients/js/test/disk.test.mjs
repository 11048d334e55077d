/** A storage that fails to open, or never answers, leaves a disk that keeps nothing and says why. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk } from "../dist/store/disk.js";

/** A clock of which the test says when time is over. */
function timer() {
  const waiting = new Set();
  const after = (_milliseconds, then) => {
    waiting.add(then);
    return () => waiting.delete(then);
  };
  return { after, isIdle: () => waiting.size === 0, end: () => waiting.forEach((then) => then()) };
}

const none = () => undefined;

test("a storage that never opens is done without, and closed if it opens too late", async () => {
  const time = timer();
  let open = none;
  let isClosed = false;
  const opening = Disk.open(() => new Promise((resolve) => (open = resolve)), none, time);
  time.end();

  const [disk, changes] = await opening;
  assert.deepEqual([disk.kind, changes], ["memory", []]);
  assert.match(disk.error.message, /in time/);
  open({ kind: "indexeddb", load: async () => [], write: async () => undefined, close: () => (isClosed = true) });
  await new Promise(setImmediate);
  assert.ok(isClosed);
});

test("a storage that opens in time is used, and one that fails is told", async () => {
  const time = timer();
  const storage = { kind: "indexeddb", load: async () => [{ table: "facts", key: "cursor", row: "1" }] };

  const [disk, changes] = await Disk.open(async () => storage, none, time);
  const [failed] = await Disk.open(() => Promise.reject(new Error("none here")), none, time);

  assert.deepEqual([disk.kind, changes.length, disk.error], ["indexeddb", 1, undefined]);
  assert.deepEqual([failed.kind, failed.error.message], ["memory", "none here"]);
  assert.ok(time.isIdle());
});
