import { describe, expect, test } from "vitest";
import { delayBeforeRetry } from "../src/call/retry.ts";
import { failure } from "../src/call/failure.ts";
import type { FailureCode } from "../src/result.ts";
import { api, read } from "./test-api.ts";

const failureOf = (code: FailureCode) => failure({ api, secrets: [] }, code, "");

describe("the wait before a retry", () => {
  const limits = { limit: 3, baseDelay: 0, maxDelay: 0, maxRetryAfter: 30_000 };
  const refusal = (headers: Record<string, string>) => ({
    ...failureOf("network_error"),
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
    expect(delayBeforeRetry(api, read, refusal(headers), 1, limits)).toBe(delay);
  });

  test("is undefined if the operation is not retryable, or the failure not transient", () => {
    const { isRetryable: _, ...once } = read;
    expect(delayBeforeRetry(api, once, refusal({}), 1, limits)).toBeUndefined();
    expect(delayBeforeRetry(api, read, failureOf("aborted"), 1, limits)).toBeUndefined();
    expect(delayBeforeRetry(api, read, failureOf("timeout"), 1, limits)).toBe(0);
    expect(delayBeforeRetry(api, read, failureOf("network_error"), 1, limits)).toBe(0);
  });
});
