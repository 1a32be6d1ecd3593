import type { Violation } from "express-operations";
import { expect, test } from "vitest";
import { createMetrics } from "../src/observability/metrics.ts";
import { createLogger } from "../src/observability/request-log.ts";
import { operationOptions } from "../src/operation-options.ts";
import { ENVIRONMENTS } from "../src/settings.ts";

const VIOLATION: Violation = {
  operationId: "createThing",
  status: 201,
  pointer: "/name",
  valueType: "string",
  message: "must NOT have fewer than 1 characters",
};

/** Returns the options in an environment, the logged lines and the counted violations. */
function optionsIn(environment: (typeof ENVIRONMENTS)[number]) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger("info", {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const observer = createMetrics(1);
  const counted = async () => {
    const text = await observer.registry.metrics();
    return /contract_violations_total\{operation_id="createThing"\} (\d)/.exec(text)?.[1];
  };
  return { ...operationOptions({ environment, logger, observer }), lines, counted };
}

test("in development every response is checked, and a violation throws an error that names its place", async () => {
  const { checkResponses, onViolation, lines, counted } = optionsIn("development");
  expect(checkResponses).toBe("always");
  expect(() => onViolation(VIOLATION)).toThrow(
    expect.objectContaining({ name: "ContractViolation", message: expect.stringMatching(/createThing.*201.*\/name/) }),
  );
  expect([await counted(), lines]).toEqual(["1", []]);
});

test.each(["staging", "production"] as const)(
  "in %s a sample of responses is checked, and a violation is logged and counted",
  async (environment) => {
    const { checkResponses, onViolation, lines, counted } = optionsIn(environment);
    expect(checkResponses).toEqual({ sample: 0.01 });
    onViolation(VIOLATION);
    expect(await counted()).toBe("1");
    expect(lines).toMatchObject([{ level: 50, violation: VIOLATION }]);
  },
);

test.each(ENVIRONMENTS)("in %s every operation is compiled before the first request", (environment) => {
  expect(optionsIn(environment).warm).toBe(true);
});

test("the observer is optional", () => {
  const logger = createLogger("silent");
  expect(() => operationOptions({ environment: "production", logger }).onViolation(VIOLATION)).not.toThrow();
});
