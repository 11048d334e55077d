/** The parser of Markdown: a text that grows becomes what it would be if it were there at once. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const source = fileURLToPath(new URL("../src/text/parse.ts", import.meta.url));
const { outputFiles } = await build({ entryPoints: [source], bundle: true, format: "esm", write: false });
const { parseGrown, parseMarkdown } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);

const LINES = ["a line", "**b** [c](https://d.example)", "- one", "- two", "-", "1. first", "2) second", "> quoted", "> - in it", "```js", "```", "```js x", "", "", "  "];

/** Numbers that look random and are the same for a seed. */
function chance(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("however a text grows, it is parsed as the whole is", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const below = chance(seed);
    const whole = Array.from({ length: 20 }, () => LINES[below(LINES.length)]).join("\n");
    let parsed;
    for (let end = 0; end <= whole.length; end += 1 + below(6)) {
      parsed = parseGrown(whole.slice(0, end), parsed);
      assert.deepEqual(parsed.blocks, parseMarkdown(whole.slice(0, end)), `seed ${seed}, ${JSON.stringify(whole.slice(0, end))}`);
    }
  }
});

test("blocks that have ended stay the same objects, and are not read again", () => {
  const before = parseGrown("one\n\n- two\n- three\n\nfour");
  const after = parseGrown("one\n\n- two\n- three\n\nfour and five", before);

  assert.equal(after.blocks[0], before.blocks[0]);
  assert.equal(after.blocks[1], before.blocks[1]);
  assert.equal(before.ended, "one\n\n- two\n- three\n");
  assert.deepEqual(after.blocks[2], { kind: "paragraph", text: "four and five" });
});

test("a text that was replaced is parsed anew", () => {
  const before = parseGrown("one\n\ntwo\n\nthree");

  assert.deepEqual(parseGrown("other\n\ntwo", before).blocks, parseMarkdown("other\n\ntwo"));
});
