// Webhooks, verified: calls that Hubbub's own code has signed, from the file WEBHOOK_CALLS.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { verifyWebhook, WebhookError } from "../dist/server/index.js";

const { WEBHOOK_CALLS: file } = process.env;

/** Calls of now, by their names: `{body, headers}`, and the secrets of the webhook. */
const calls = file ? JSON.parse(readFileSync(file, "utf8")) : {};
const { secret, formerSecret, otherSecret, username, password } = calls;

const refused = (reason) => (error) => error instanceof WebhookError && error.reason === reason;

describe("a webhook", { skip: !file && "needs WEBHOOK_CALLS" }, () => {
  const { plain, rotated, withBasicAuth, old, early, noJson, decision } = calls;

  test("is verified, and has its type by its trigger", async () => {
    const event = await verifyWebhook(plain, { secret });

    assert(event.trigger === "message_sent");
    assert.equal(event.data.message.data.text, "Grüße 👋");
  });

  test("is verified in every form in which frameworks have it", async () => {
    const { body, headers } = plain;
    const bytes = new TextEncoder().encode(body);
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name.toUpperCase(), [text]]),
    );
    const forms = [
      new Request("https://app.test/hook", { method: "POST", body, headers }),
      { body: Buffer.from(body), headers },
      { body: bytes, headers: new Headers(headers) },
      { body: bytes.buffer, headers: upper },
    ];

    for (const form of forms) assert.equal((await verifyWebhook(form, { secret })).trigger, "message_sent");
  });

  test("that decides on a message is verified", async () => {
    const event = await verifyWebhook(decision, { secret });

    assert(event.trigger === "before_message");
    assert.equal(event.data.action, "send");
  });

  test("is verified with either secret while they are replaced", async () => {
    assert.equal(rotated.headers["webhook-signature"].split(" ").length, 2);
    for (const each of [secret, formerSecret, [otherSecret, formerSecret]]) {
      assert(await verifyWebhook(rotated, { secret: each }));
    }
  });

  test("is refused with a wrong secret", async () => {
    await assert.rejects(verifyWebhook(plain, { secret: otherSecret }), refused("signature"));
    await assert.rejects(verifyWebhook(rotated, { secret: otherSecret }), refused("signature"));
    await assert.rejects(verifyWebhook(plain, { secret: [] }), refused("signature"));
  });

  test("is refused if its body was changed", async () => {
    const body = plain.body.replace("anna", "anne");
    assert.notEqual(body, plain.body);

    await assert.rejects(verifyWebhook({ ...plain, body }, { secret }), refused("signature"));
    await assert.rejects(
      verifyWebhook({ ...plain, body: `${plain.body} ` }, { secret }),
      refused("signature"),
    );
  });

  for (const name of ["webhook-id", "webhook-timestamp"]) {
    test(`is refused if its ${name} was changed`, async () => {
      const headers = {
        ...plain.headers,
        [name]: plain.headers[name].replace(/.$/, (end) => (end === "1" ? "2" : "1")),
      };

      await assert.rejects(verifyWebhook({ ...plain, headers }, { secret }), refused("signature"));
    });
  }

  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    test(`is refused without ${name}`, async () => {
      const { [name]: _, ...headers } = plain.headers;

      await assert.rejects(verifyWebhook({ ...plain, headers }, { secret }), refused("headers"));
      await assert.rejects(
        verifyWebhook({ ...plain, headers: new Headers(headers) }, { secret }),
        refused("headers"),
      );
    });
  }

  test("is refused when it is old, or of tomorrow", async () => {
    await assert.rejects(verifyWebhook(old, { secret }), refused("timestamp"));
    await assert.rejects(verifyWebhook(early, { secret }), refused("timestamp"));
    assert(await verifyWebhook(old, { secret, tolerance: 1000 }));
    assert(await verifyWebhook(early, { secret, tolerance: 1000 }));
  });

  for (const timestamp of ["soon", "-1", "1e9", " 5", "0x10", "NaN", "Infinity"]) {
    test(`is refused at the time ${timestamp}`, async () => {
      const headers = { ...plain.headers, "webhook-timestamp": timestamp };

      await assert.rejects(
        verifyWebhook({ ...plain, headers }, { secret, tolerance: Infinity }),
        refused("timestamp"),
      );
    });
  }

  for (const signature of ["v1,", "v1", "v1,!", "v2,", "v1a,", " ", ","]) {
    test(`is refused with the signature "${signature}"`, async () => {
      const [, value] = plain.headers["webhook-signature"].split(",");
      const given = signature.endsWith(",") && signature !== "v1," ? signature + value : signature;
      const headers = { ...plain.headers, "webhook-signature": given };

      await assert.rejects(verifyWebhook({ ...plain, headers }, { secret }), refused("signature"));
    });
  }

  test("with Basic auth is verified with its user name and password", async () => {
    assert(await verifyWebhook(withBasicAuth, { secret, username, password }));
    assert(await verifyWebhook(withBasicAuth, { secret }));
  });

  test("is refused with another user name or password, or without", async () => {
    const wrong = [
      [withBasicAuth, { username, password: "guess" }],
      [withBasicAuth, { username: "guess", password }],
      [withBasicAuth, { username }],
      [withBasicAuth, { password }],
      [plain, { username, password }],
    ];

    for (const [call, given] of wrong) {
      await assert.rejects(verifyWebhook(call, { secret, ...given }), refused("authorization"));
    }
  });

  test("is refused if it is no JSON", async () => {
    await assert.rejects(verifyWebhook(noJson, { secret }), refused("body"));
  });

  test("is not verified by mistake of who calls", async () => {
    const parsed = { ...plain, body: JSON.parse(plain.body) };

    await assert.rejects(verifyWebhook(parsed, { secret }), TypeError);
    for (const none of ["", "whsec_", undefined]) {
      await assert.rejects(verifyWebhook(plain, { secret: none }), TypeError);
    }
  });
});
