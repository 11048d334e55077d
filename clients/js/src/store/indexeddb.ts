/** Rows in IndexedDB: one database for each server and person, all rows in one object store. */

import { TABLES, type Change, type Storage, type TableName } from "./rows.js";

const STORE = "rows";

/** Opens the database. Rejects where there is none, such as in some private windows. */
export async function openIndexedDb(name: string): Promise<Storage> {
  const opening = indexedDB.open(`hubbub:${name}`, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  database.onversionchange = () => database.close(); // another tab erases it
  return {
    kind: "indexeddb",
    load: () => load(database),
    write: (changes) => write(database, changes),
    erase: async () => {
      database.close();
      await done(indexedDB.deleteDatabase(database.name));
    },
    close: () => database.close(),
  };
}

async function load(database: IDBDatabase): Promise<Change[]> {
  const store = database.transaction(STORE).objectStore(STORE);
  const [keys, rows] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
  return keys.map((key, index) => ({ ...partsOf(String(key)), row: rows[index] }));
}

function write(database: IDBDatabase, changes: readonly Change[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, "readwrite");
    const store = transaction.objectStore(STORE);
    for (const { table, key, row } of changes) {
      if (row === undefined) store.delete(`${table}:${key}`);
      else store.put(row, `${table}:${key}`);
    }
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

function partsOf(key: string): { table: TableName; key: string } {
  const at = key.indexOf(":");
  const table = TABLES.find((each) => each === key.slice(0, at)) ?? "facts";
  return { table, key: key.slice(at + 1) };
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
