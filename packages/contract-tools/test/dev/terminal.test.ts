import { afterEach, expect, test, vi } from "vitest";
import { LogLines, styled } from "../../src/dev/terminal.ts";

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

const REQUEST = {
  level: 30,
  time: 1,
  pid: 2,
  hostname: "host",
  req: { id: "a", method: "GET", path: "/v1/pets" },
  res: { status: 200 },
  responseTime: 3,
  msg: "request completed",
};

/** The log, and the lines that it has printed since the last look. */
function log() {
  const printed: string[] = [];
  const lines = new LogLines((text) => printed.push(text));
  return { lines, add: (line: object) => lines.add(JSON.stringify(line)), seen: () => printed.splice(0) };
}

test("a request is one line, without control characters", () => {
  const { add, seen } = log();
  add(REQUEST);
  add({ ...REQUEST, req: { method: "GET", path: "/\u009b31m" }, msg: "request aborted" });
  expect(seen()).toEqual(["  request    GET /v1/pets  200  3 ms", "  request    GET /\ufffd31m  aborted  3 ms"]);
});

test("requests stand below a report, and other lines where they are logged", async () => {
  const { lines, add, seen } = log();
  await lines.during(() => {
    add(REQUEST);
    add({ level: 50, msg: "request failed", req: REQUEST.req, err: { stack: "Error: no\n    at a.ts:1\n" } });
    add({ level: 40, time: 1, pid: 2, hostname: "host", msg: "connections were still open", connections: 1 });
    expect(seen()).toEqual(['  log        warning: connections were still open: {"connections":1}']);
    return Promise.resolve();
  });
  expect(seen()).toEqual([
    "  request    GET /v1/pets  200  3 ms",
    "  log        error: request failed: GET /v1/pets\n    Error: no\n        at a.ts:1",
  ]);
  add({ level: 30, msg: "stopped" });
  expect(seen()).toEqual([]);
});

test("a key hides the requests, but not their errors, and shows them again", () => {
  const { lines, add, seen } = log();
  lines.toggle();
  add(REQUEST);
  add({ level: 50, msg: "request failed", req: REQUEST.req, err: {} });
  lines.toggle();
  add(REQUEST);
  expect(seen()).toEqual([
    "Requests are hidden; l shows them.",
    "  log        error: request failed: GET /v1/pets",
    "Requests are shown; l hides them.",
    "  request    GET /v1/pets  200  3 ms",
  ]);
});

test("a line that is none of the log is printed as it is", () => {
  const { lines, add, seen } = log();
  lines.add("{ pet: 1 }");
  add({ pet: 1 });
  expect(seen()).toEqual(["{ pet: 1 }", '{"pet":1}']);
});
