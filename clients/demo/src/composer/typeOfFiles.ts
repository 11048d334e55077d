/** The type of a message with files: that of all of them, or `file`. */

const SHOWN = ["image", "video", "audio"];

export function typeOfFiles(files: readonly File[]): string {
  const kinds = new Set(files.map((file) => file.type.split("/")[0] ?? ""));
  const [kind = ""] = kinds;
  return kinds.size === 1 && SHOWN.includes(kind) ? kind : "file";
}
