import { describe, expect, test } from "vitest";
import { createLogger, loggedPath } from "../../src/observability/request-log.ts";
import { parseTraceparent } from "../../src/observability/trace-context.ts";
import { startProgram } from "../program.ts";
import { temporaryFolder } from "../temporary.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

describe("the request log", () => {
  test("is one line of JSON for each request, with its id and trace, and without its key", async () => {
    const program = await startProgram(await temporaryFolder());
    const headers = { Authorization: `Bearer ${program.key}`, traceparent: TRACEPARENT, "X-Request-Id": "order-66" };
    await fetch(`${program.baseUrl}/pets?limit=5`, { headers });
    await fetch(`${program.baseUrl}/pets`, { headers: { Authorization: "Bearer canary" } });
    await program.stop();
    const lines = program
      .output()
      .match(/^\{.*\}$/gm)!
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ req }) => req !== undefined)).toMatchObject([
      { req: { id: "order-66", path: "/v1/pets" }, res: { status: 200 }, operationId: "listPets", traceId: TRACE_ID },
      { req: { path: "/v1/pets" }, res: { status: 401 }, operationId: "listPets" },
    ]);
    expect(program.output()).not.toMatch(/pst_|canary|bearer canary/i);
  });

  test.each([
    ["/v1/pets?cursor=x", "/v1/pets"],
    ["http://admin:hunter2@petstore/v1/pets?limit=1", "/v1/pets"],
    ["http://admin:hunter2@petstore", ""],
    ["*", "*"],
  ])("holds of the target %s the path alone", (target, path) => {
    expect(loggedPath(target)).toBe(path);
  });

  test("takes out a credential that is logged by mistake", () => {
    let written = "";
    const logger = createLogger("info", { write: (line) => void (written += line) });
    const headers = { authorization: "Bearer canary" };
    logger.info(headers);
    logger.info({ headers });
    logger.info({ req: { headers } });
    expect(written.match(/\[Redacted\]/g)).toHaveLength(3);
    expect(written).not.toContain("canary");
  });
});

test.each([
  [TRACEPARENT, TRACE_ID],
  [`cc-${TRACE_ID}-b7ad6b7169203331-01-later`, TRACE_ID],
  [`00-${TRACE_ID}-b7ad6b7169203331-01-later`, undefined],
  [`ff-${TRACE_ID}-b7ad6b7169203331-01`, undefined],
  [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, undefined],
  [`00-${TRACE_ID}-${"0".repeat(16)}-01`, undefined],
  [TRACEPARENT.toUpperCase(), undefined],
  [undefined, undefined],
])("traceparent %s is of the trace %s", (header, traceId) => expect(parseTraceparent(header)?.traceId).toBe(traceId));
