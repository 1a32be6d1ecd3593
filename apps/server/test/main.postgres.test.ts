import { temporaryUrl } from "@platform/test-support/temporary";
import { expect, test } from "vitest";
import { run } from "./program.ts";

/** When an idle connection ends, unless the command closes it. */
const IDLE_MS = 10_000;

test.each([[["migrate"]], [["keys", "list"]]])(
  "%j closes its connection to PostgreSQL, and so ends at once",
  async (words) => {
    const DATABASE_URL = await temporaryUrl();
    await run(["migrate"], { DATABASE_URL });
    const began = performance.now();
    expect(await run(words, { DATABASE_URL })).toMatchObject({ code: 0, stderr: "" });
    expect(performance.now() - began).toBeLessThan(IDLE_MS);
  },
);
