import { afterAll, beforeAll, expect, test } from "vitest";
import { startService, type TestService } from "../petstore.ts";
import { CODE_POINTS, expectValidated, isValid } from "./names.ts";

let service: TestService;
beforeAll(async () => void (service = await startService()));
afterAll(() => service[Symbol.asyncDispose]());

test(
  "every Unicode character is accepted or rejected in a name as the contract declares",
  { timeout: 300_000 },
  async () => {
    expect.hasAssertions();
    let valid: number[] = [];
    for (let codePoint = 0; codePoint < CODE_POINTS; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (isValid(character)) valid.push(codePoint);
      else await expectValidated(service, character);
      if (valid.length === 255 || codePoint === CODE_POINTS - 1) {
        await expectValidated(service, String.fromCodePoint(...valid));
        valid = [];
      }
    }
  },
);
