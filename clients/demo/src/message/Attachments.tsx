/** The files of a message: pictures and recordings are shown, others are named. */

import type { VNode } from "preact";

import type { Attachment } from "../chat/data.js";
import { isOwnUrl } from "../chat/data.js";
import { FileLink } from "./FileLink.js";
import { Picture } from "./Picture.js";

interface Props {
  files: Attachment[];
  messageId: string | undefined;
}

const kindOf = ({ url, mimeType = "" }: Attachment): string =>
  isOwnUrl(url) ? (/^(image|video|audio)\//.exec(mimeType)?.[1] ?? "file") : "file";

function File({ file, index, messageId }: { file: Attachment; index: number; messageId: string | undefined }): VNode {
  switch (kindOf(file)) {
    case "image":
      return <Picture file={file} index={index} messageId={messageId} />;
    case "video":
      return <video src={file.url} controls preload="metadata" aria-label={file.name ?? "Video"} />;
    case "audio":
      return <audio src={file.url} controls preload="metadata" aria-label={file.name ?? "Recording"} />;
    default:
      return <FileLink file={file} />;
  }
}

export function Attachments({ files, messageId }: Props): VNode {
  const pictures = files.filter((file) => kindOf(file) === "image").length;
  return (
    <div class={pictures > 1 ? "attachments is-grid" : "attachments"}>
      {files.map((file, index) => (
        <File key={file.url} file={file} index={index} messageId={messageId} />
      ))}
    </div>
  );
}
