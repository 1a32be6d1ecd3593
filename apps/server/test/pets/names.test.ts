import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type TestService } from "../petstore.ts";
import { expectValidated } from "./names.ts";

describe("the name of an animal", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService()));
  afterAll(() => service[Symbol.asyncDispose]());

  test("is any text of 1 to 255 characters without control characters and lone surrogates, and is stored unchanged", async () => {
    expect.hasAssertions();
    const edges = [0, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0x9f, 0xa0, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfeff];
    for (const codePoint of [...edges, 0xfffd, 0xffff, 0x1_0000, 0x10_ffff]) {
      const character = String.fromCodePoint(codePoint);
      for (const name of [character, `a${character}`, `${character}a`]) await expectValidated(service, name);
    }
    for (const length of [0, 1, 254, 255, 256]) {
      await expectValidated(service, "a".repeat(length));
      await expectValidated(service, "\u{1f415}".repeat(length));
    }
    await expectValidated(service, "\u{1f415}", String.raw`"\ud83d\udc15"`);
    await expectValidated(service, "\\ud800", String.raw`"\\ud800"`);
  });

  test("is validated by the same rule for random UTF-16", async () => {
    const unit = fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd7ff, max: 0xe000 }));
    const name = fc.array(unit, { maxLength: 12 }).map((units) => String.fromCharCode(...units));
    await fc.assert(
      fc.asyncProperty(name, (text) => expectValidated(service, text)),
      { numRuns: 150 },
    );
  });
});
