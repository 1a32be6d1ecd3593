import { expect, test } from "vitest";
import { startService } from "../../testing/service.ts";

test("/metrics counts one commit for each write on PostgreSQL, and has no size of a write-ahead log", async () => {
  await using service = await startService({ METRICS_PORT: "0" });
  const samples = async () =>
    (await (await fetch(service.metricsUrl!)).text()).match(/^petstore_(commit_batch_size_(sum|count)|wal_bytes) .*/gm);
  const commits = (count: number) => [
    `petstore_commit_batch_size_sum ${count}`,
    `petstore_commit_batch_size_count ${count}`,
  ];
  expect(await samples()).toEqual(commits(0));
  await Promise.all([service.addPet(), service.addPet(), service.addPet()]);
  expect([commits(3), commits(4)]).toContainEqual(await samples()); // the fourth is the last use of the key, saved after 3 s
});
