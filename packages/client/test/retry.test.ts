import { describe, expect, test } from "vitest";
import type { Operation } from "../src/operation.ts";
import { failureResult } from "../src/untyped-result.ts";
import { delayBeforeRetry } from "../src/retry.ts";

const read: Operation<"getPet"> = {
  id: "getPet",
  method: "GET",
  path: "/a",
  parameters: {},
  success: [200],
  isRetryable: true,
};

describe("the wait before a retry", () => {
  const limits = { limit: 3, baseDelay: 0, maxDelay: 0, maxRetryAfter: 30_000 };
  const refusal = (headers: Record<string, string>) => ({
    ...failureResult(undefined),
    status: 503,
    error: { code: "x", message: "", status: 503 },
    response: new Response(null, { status: 503, headers }),
  });
  const at = "Mon, 23 Nov 2026 11:00:00 GMT";

  test.each<[headers: Record<string, string>, delay: number | undefined]>([
    [{}, 0],
    [{ "Retry-After": "0" }, 0],
    [{ "Retry-After": "2" }, 2_000],
    [{ "Retry-After": "30" }, 30_000],
    [{ "Retry-After": "31" }, undefined],
    [{ "Retry-After": "2s" }, 0],
    [{ "Retry-After": "s2" }, 0],
    [{ "Retry-After": "Mon, 23 Nov 2026 11:00:05 GMT", Date: at }, 5_000],
    [{ "Retry-After": "Mon, 23 Nov 2026 10:59:00 GMT", Date: at }, 0],
    [{ "Retry-After": "Mon, 23 Nov 2026 11:00:31 GMT", Date: at }, undefined],
    [{ "Retry-After": "Mon, 23 Nov 1970 11:00:05 GMT" }, 0],
    [{ "Retry-After": "Mon, 23 Nov 2099 11:00:05 GMT" }, undefined],
    [{ "Retry-After": "Mon, 23 Nov 2099 11:00:05 GMT", Date: "soon" }, undefined],
  ])("after a response with %j is %s ms", (headers, delay) => {
    expect(delayBeforeRetry(read, refusal(headers), 1, limits)).toBe(delay);
  });

  test("is undefined if the operation is not retryable, or the failure not transient", () => {
    const { isRetryable: _, ...once } = read;
    expect(delayBeforeRetry(once, refusal({}), 1, limits)).toBeUndefined();
    expect(delayBeforeRetry(read, failureResult(undefined, "aborted"), 1, limits)).toBeUndefined();
    expect(delayBeforeRetry(read, failureResult(undefined, "timeout"), 1, limits)).toBe(0);
    expect(delayBeforeRetry(read, failureResult(undefined), 1, limits)).toBe(0);
  });
});
