import { expect, test } from "vitest";
import { json, startService } from "../../testing/service.ts";

test("/metrics has the metrics of the service and its storage, and names no key and no animal", async () => {
  await using service = await startService({ METRICS_PORT: "0" });
  await service.request("/pets", json({ name: "Canary", categoryId: 1 }));
  const read = async () => (await fetch(service.metricsUrl!)).text();
  await expect.poll(read).toMatch(/^http_requests_total\{operation_id="createPet",status="201"\} 1$/m);
  expect(await read()).toMatch(/^petstore_commit_batch_size_sum [1-9]/m);
  expect(await read()).toMatch(/^petstore_wal_bytes [1-9]\d{3}/m);
  expect(await read()).not.toMatch(/pst_|Canary/);
});
