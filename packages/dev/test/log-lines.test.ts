import { expect, test } from "vitest";
import { LogLines } from "../src/terminal.ts";

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
