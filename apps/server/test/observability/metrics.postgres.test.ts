import { expect, test } from "vitest";
import { startService } from "../service.ts";

test("/metrics counts each write on PostgreSQL as a commit of its own, and has no write-ahead log to measure", async () => {
  await using service = await startService({ METRICS_PORT: "0" });
  const samples = async () =>
    (await (await fetch(service.metricsUrl!)).text()).match(/^petstore_(commit_batch_size_(sum|count)|wal_bytes) .*/gm);
  expect(await samples()).toEqual(["petstore_commit_batch_size_sum 0", "petstore_commit_batch_size_count 0"]);
  await Promise.all([service.addPet(), service.addPet(), service.addPet()]);
  expect(await samples()).toEqual(["petstore_commit_batch_size_sum 3", "petstore_commit_batch_size_count 3"]);
});
