/** Draws a text with Markdown. Of a text that grows only the parts that changed are drawn again. */

import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { memo } from "../parts/memo.js";

import type { Block, Inline, Parsed } from "./parse.js";
import { parseGrown, parseInline } from "./parse.js";

interface Props {
  text: string;
  /** The names of those who are mentioned, by uid. */
  names: Record<string, string>;
  /** The person who reads: mentions of them stand out. */
  uid: string;
}

function Nodes({ nodes, names, uid }: { nodes: Inline[] } & Omit<Props, "text">): VNode {
  return (
    <>
      {nodes.map((node, index) => (
        <Node key={index} node={node} names={names} uid={uid} />
      ))}
    </>
  );
}

function Node({ node, names, uid }: { node: Inline } & Omit<Props, "text">): VNode {
  const inner = "inner" in node ? <Nodes nodes={node.inner} names={names} uid={uid} /> : null;
  switch (node.kind) {
    case "text":
      return <>{node.text}</>;
    case "break":
      return <br />;
    case "code":
      return <code>{node.text}</code>;
    case "strong":
      return <strong>{inner}</strong>;
    case "em":
      return <em>{inner}</em>;
    case "strike":
      return <del>{inner}</del>;
    case "link":
      return (
        <a href={node.url} target="_blank" rel="noopener noreferrer nofollow">
          {inner}
        </a>
      );
    case "mention": {
      const isMine = node.uid === uid || node.uid === "all";
      return <span class={isMine ? "mention is-mine" : "mention"}>@{names[node.uid] ?? node.uid}</span>;
    }
  }
}

/** The marks within a paragraph or an item of a list. */
const Line = memo(function Line({ text, names, uid }: Props): VNode {
  return <Nodes nodes={parseInline(text)} names={names} uid={uid} />;
});

interface BlockProps extends Omit<Props, "text"> {
  block: Block;
  /** A text of one paragraph has the direction of the whole message. */
  isOnly: boolean;
}

const BlockView = memo(function BlockView({ block, isOnly, names, uid }: BlockProps): VNode {
  switch (block.kind) {
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return (
        <blockquote dir="auto">
          <Blocks blocks={block.blocks} names={names} uid={uid} />
        </blockquote>
      );
    case "list": {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <Line text={item} names={names} uid={uid} />
        </li>
      ));
      return block.isOrdered ? (
        <ol dir="auto" start={block.start}>
          {items}
        </ol>
      ) : (
        <ul dir="auto">{items}</ul>
      );
    }
    case "paragraph":
      return (
        <p dir={isOnly ? undefined : "auto"}>
          <Line text={block.text} names={names} uid={uid} />
        </p>
      );
  }
});

function Blocks({ blocks, names, uid }: { blocks: Block[] } & Omit<Props, "text">): VNode {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} isOnly={blocks.length === 1} names={names} uid={uid} />
      ))}
    </>
  );
}

export const Markdown = memo(function Markdown({ text, names, uid }: Props): VNode {
  const parsed = useRef<Parsed | undefined>(undefined);
  parsed.current = parseGrown(text, parsed.current);
  return <Blocks blocks={parsed.current.blocks} names={names} uid={uid} />;
});
