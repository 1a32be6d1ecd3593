import { afterEach, expect, test, vi } from "vitest";
import { styled } from "../src/terminal.ts";

afterEach(() => vi.unstubAllEnvs());

const REPORT = `
10:42:07  openapi/openapi.yaml
  contract   2 changes since the last commit: 1 breaking, 1 additive
    breaking       GET /pets: It is breaking.
  typecheck  2 errors in 5 packages; after 2.14 s
    handlers     apps/server/src/a.ts:1:14  Type 'string' is not
  service    restarted at http://127.0.0.1:3000/v1`;

test("a report has colours if they are forced, and none without a terminal", () => {
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("FORCE_COLOR", "1");
  const text = styled(REPORT);
  const parts = Array.from(
    text.replaceAll("\u001B", "ESC").matchAll(/ESC\[(\d+)m(.*?)ESC\[\d+m/g),
    ([, ...part]) => part,
  );
  expect(parts).toEqual([
    ["2", "10:42:07"],
    ["1", "  contract"],
    ["31", "1 breaking"],
    ["31", "breaking"],
    ["1", "  typecheck"],
    ["31", "2 errors"],
    ["36", "apps/server/src/a.ts:1:14"],
    ["1", "  service"],
    ["32", "restarted"],
  ]);
  vi.stubEnv("FORCE_COLOR", "0");
  expect(styled(REPORT)).toBe(REPORT);
});
