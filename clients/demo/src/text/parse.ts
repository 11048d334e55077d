/**
 * Parses the Markdown of messages into a tree, which is drawn as elements: no text becomes HTML.
 *
 * Blocks hold lines as text, whose inner marks are parsed when they are drawn. Of a text that grows only the end is
 * parsed again (`parseGrown`). The next place of each delimiter is remembered, so that the time grows with the length
 * of the text, also of one that was written to make it grow faster.
 */

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "em" | "strike"; inner: Inline[] }
  | { kind: "link"; url: string; inner: Inline[] }
  | { kind: "mention"; uid: string }
  | { kind: "break" };

export type Block =
  | { kind: "paragraph"; text: string }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; isOrdered: boolean; start: number; items: string[] };

const SPECIAL = /[`*_~[<\nhw\\]/g;
const MENTION = /<@(?:uid:([^>\s]{1,100})|(all))>/y;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>]+/y;
const LINK_TARGET = /\]\((https?:\/\/[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)\)/y;
const ENDING = new Set(".,:;!?'\"*_~");
const ESCAPABLE = /[\\`*_~[\]<>#-]/;
const WORD = /[\p{L}\p{N}]/u;
const MARKS = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "strike"],
  ["*", "em"],
  ["_", "em"],
] as const;

class InlineParser {
  private readonly found: Inline[] = [];
  private readonly ends = new Map<string, number>();
  /** Where a target of a link was looked for in vain, so that each place is looked at once. */
  private readonly noTargets = new Set<number>();
  private plain = "";
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly depth = 0,
  ) {}

  parse(): Inline[] {
    while (this.at < this.text.length) {
      SPECIAL.lastIndex = this.at;
      const next = SPECIAL.exec(this.text);
      const until = next?.index ?? this.text.length;
      this.plain += this.text.slice(this.at, until);
      this.at = until;
      if (next !== null && !this.take(next[0])) {
        this.plain += next[0];
        this.at += 1;
      }
    }
    this.flush();
    return this.found;
  }

  private flush(): void {
    if (this.plain) this.found.push({ kind: "text", text: this.plain });
    this.plain = "";
  }

  private add(node: Inline, until: number): true {
    this.flush();
    this.found.push(node);
    this.at = until;
    return true;
  }

  private take(special: string): boolean {
    switch (special) {
      case "\n":
        return this.add({ kind: "break" }, this.at + 1);
      case "\\":
        return this.takeEscaped();
      case "`":
        return this.takeCode();
      case "<":
        return this.takeMention();
      case "[":
        return this.takeLink();
      case "h":
      case "w":
        return this.takeAddress();
      default:
        return this.takeMarked();
    }
  }

  private takeEscaped(): boolean {
    const next = this.text[this.at + 1] ?? "";
    if (!ESCAPABLE.test(next)) return false;
    this.plain += next;
    this.at += 2;
    return true;
  }

  private takeCode(): boolean {
    const end = this.endOf("`", this.at + 1);
    if (end <= this.at + 1) return false;
    return this.add({ kind: "code", text: this.text.slice(this.at + 1, end) }, end + 1);
  }

  private takeMention(): boolean {
    MENTION.lastIndex = this.at;
    const found = MENTION.exec(this.text);
    if (found === null) return false;
    return this.add({ kind: "mention", uid: found[1] ?? "all" }, MENTION.lastIndex);
  }

  private takeLink(): boolean {
    const end = this.endOf("](", this.at + 1);
    if (end < 0) return false;
    if (this.noTargets.has(end)) return false;
    LINK_TARGET.lastIndex = end;
    const target = LINK_TARGET.exec(this.text);
    if (target?.[1] === undefined) {
      this.noTargets.add(end);
      return false;
    }
    const inner: Inline[] = [{ kind: "text", text: this.text.slice(this.at + 1, end) }];
    return this.add({ kind: "link", url: target[1], inner }, LINK_TARGET.lastIndex);
  }

  private takeAddress(): boolean {
    ADDRESS.lastIndex = this.at;
    const found = this.isInWord() ? null : ADDRESS.exec(this.text);
    if (found === null) return false;
    let length = found[0].length;
    while (ENDING.has(found[0][length - 1] ?? "")) length--;
    let shown = found[0].slice(0, length);
    if (shown.endsWith(")") && !shown.includes("(")) shown = shown.slice(0, -1);
    const url = shown.startsWith("www.") ? `https://${shown}` : shown;
    return this.add({ kind: "link", url, inner: [{ kind: "text", text: shown }] }, this.at + shown.length);
  }

  private takeMarked(): boolean {
    for (const [mark, kind] of MARKS) {
      if (!this.text.startsWith(mark, this.at)) continue;
      if (mark.startsWith("_") && this.isInWord()) return false;
      const begin = this.at + mark.length;
      const end = /\s/.test(this.text[begin] ?? " ") ? -1 : this.endOf(mark, begin + 1);
      if (end < 0 || this.depth > 5 || /\s/.test(this.text[end - 1] ?? " ")) continue;
      const inner = new InlineParser(this.text.slice(begin, end), this.depth + 1).parse();
      return this.add({ kind, inner }, end + mark.length);
    }
    return false;
  }

  private isInWord(): boolean {
    return WORD.test(this.text[this.at - 1] ?? " ");
  }

  private endOf(mark: string, from: number): number {
    const known = this.ends.get(mark);
    if (known !== undefined && (known < 0 || known >= from)) return known;
    const end = this.text.indexOf(mark, from);
    this.ends.set(mark, end);
    return end;
  }
}

export const parseInline = (text: string): Inline[] => new InlineParser(text).parse();

const FENCE = /^```(\S*)\s*$/;
const BULLET = /^ {0,3}[-*•] +(?=\S)/;
const NUMBER = /^ {0,3}(\d{1,9})[.)] +(?=\S)/;

/** Returns the number of lines from `from` on that belong together. */
function countWhile(lines: string[], from: number, belongs: (line: string) => boolean): number {
  let count = 0;
  while (from + count < lines.length && belongs(lines[from + count] ?? "")) count += 1;
  return count;
}

const beginsBlock = (line: string): boolean =>
  line.trim() === "" || FENCE.test(line) || line.startsWith(">") || BULLET.test(line) || NUMBER.test(line);

type Taken = [Block | undefined, number];

function takeFence(lines: string[], at: number): Taken {
  const size = countWhile(lines, at + 1, (line) => !line.startsWith("```"));
  const text = lines.slice(at + 1, at + 1 + size).join("\n");
  return [{ kind: "code", language: FENCE.exec(lines[at] ?? "")?.[1] ?? "", text }, size + 2];
}

function takeQuote(lines: string[], at: number, depth: number): Taken {
  const size = countWhile(lines, at, (line) => line.startsWith(">"));
  const inner = lines.slice(at, at + size).map((line) => line.replace(/^> ?/, ""));
  return [{ kind: "quote", blocks: parseLines(inner, depth + 1) }, size];
}

function takeList(lines: string[], at: number, mark: RegExp): Taken {
  const size = countWhile(lines, at, (line) => mark.test(line));
  const items = lines.slice(at, at + size).map((line) => line.replace(mark, ""));
  const start = Number(NUMBER.exec(lines[at] ?? "")?.[1] ?? 1);
  return [{ kind: "list", isOrdered: mark === NUMBER, start, items }, size];
}

function takeBlock(lines: string[], at: number, depth: number): Taken {
  const line = lines[at] ?? "";
  if (line.trim() === "") return [undefined, 1];
  if (FENCE.test(line)) return takeFence(lines, at);
  if (line.startsWith(">") && depth < 4) return takeQuote(lines, at, depth);
  if (BULLET.test(line)) return takeList(lines, at, BULLET);
  if (NUMBER.test(line)) return takeList(lines, at, NUMBER);
  const size = 1 + countWhile(lines, at + 1, (next) => !beginsBlock(next));
  return [{ kind: "paragraph", text: lines.slice(at, at + size).join("\n") }, size];
}

function parseLines(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const [block, size] = takeBlock(lines, at, depth);
    if (block !== undefined) blocks.push(block);
    at += size;
  }
  return blocks;
}

export const parseMarkdown = (text: string): Block[] => parseLines(text.split("\n"), 0);

/** A text that was parsed, with what of it stays whatever is added to the text. */
export interface Parsed {
  blocks: Block[];
  /** The text of the blocks that stay, and their number. */
  ended: string;
  count: number;
}

/** Parses a text; of one that begins as `before` did, only what may be different. */
export function parseGrown(text: string, before?: Parsed): Parsed {
  const known = before !== undefined && text.startsWith(before.ended) ? before : undefined;
  let [from, count] = [known?.ended.length ?? 0, known?.count ?? 0];
  const blocks = known?.blocks.slice(0, count) ?? [];
  const lines = text.slice(from).split("\n");
  for (let at = 0; at < lines.length; ) {
    const [block, size] = takeBlock(lines, at, 0);
    if (block !== undefined) blocks.push(block);
    const next = at + size;
    // The last line is not complete: what it is may change, and whether the block before it ends there.
    if (next < lines.length - 1) {
      for (; at < next; at += 1) from += lines[at]!.length + 1;
      count = blocks.length;
    }
    at = next;
  }
  return { blocks, ended: text.slice(0, from), count };
}

const plainInline = (nodes: Inline[], nameOf: (uid: string) => string): string =>
  nodes
    .map((node) => {
      if (node.kind === "mention") return `@${nameOf(node.uid)}`;
      if (node.kind === "break") return " ";
      return "text" in node ? node.text : plainInline(node.inner, nameOf);
    })
    .join("");

/** Returns a text of one line without marks, for lists and notices. */
export function plainText(text: string, nameOf: (uid: string) => string): string {
  const plain = (inner: string): string => plainInline(parseInline(inner), nameOf);
  const line = (block: Block): string => {
    if (block.kind === "code") return block.text;
    if (block.kind === "quote") return block.blocks.map(line).join(" ");
    if (block.kind === "list") return block.items.map(plain).join(", ");
    return plain(block.text);
  };
  return parseMarkdown(text.slice(0, 500)).map(line).join(" ");
}
