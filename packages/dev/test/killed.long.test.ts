import { expect, test } from "vitest";
import { started } from "./started.ts";

test("a stopped service is killed if it has not ended after five seconds", async () => {
  const { service, pid } = await started("process.exit = () => {};");
  const began = performance.now();
  await service.stop();
  expect(performance.now() - began).toBeGreaterThanOrEqual(4_990);
  expect(() => process.kill(pid(), 0)).toThrow("ESRCH");
});
