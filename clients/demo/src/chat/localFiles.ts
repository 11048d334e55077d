/** Files that are being sent, so that their messages show them before the server has them. */

import type { Attachment } from "./data.js";

const held = new Map<string, Attachment[]>();

export const attachmentOf = (file: File): Attachment => ({
  url: URL.createObjectURL(file),
  name: file.name,
  mimeType: file.type,
  size: file.size,
});

export function holdFiles(key: string, files: readonly File[]): void {
  if (files.length > 0) held.set(key, files.map(attachmentOf));
}

export const heldFiles = (key: string): Attachment[] | undefined => held.get(key);

export function releaseFiles(key: string): void {
  for (const each of held.get(key) ?? []) URL.revokeObjectURL(each.url);
  held.delete(key);
}
