import { KEY_PREFIX, METRICS_PREFIX } from "@platform/command-line/name";
import { expect, test } from "vitest";
import { creation, startService } from "./start.ts";

test("/metrics has the metrics of the service and its storage, and names no key and no thing", async () => {
  await using service = await startService({ METRICS_PORT: "0" });
  await service.request("/things", creation("Canary"));
  const read = async () => (await fetch(service.metricsUrl!)).text();
  await expect.poll(read).toMatch(/^http_requests_total\{operation_id="createThing",status="201"\} 1$/m);
  expect(await read()).toMatch(new RegExp(`^${METRICS_PREFIX}_commit_batch_size_sum [1-9]`, "m"));
  expect(await read()).toMatch(new RegExp(`^${METRICS_PREFIX}_wal_bytes [1-9]\\d{3}`, "m"));
  expect(await read()).not.toMatch(new RegExp(`${KEY_PREFIX}_(?:live|test)_|Canary`));
});
