import { METRICS_PREFIX } from "@platform/command-line/name";
import { expect, test } from "vitest";
import { startService } from "./start.ts";

const SAMPLES = new RegExp(`^${METRICS_PREFIX}_(commit_batch_size_(sum|count)|wal_bytes) .*`, "gm");

test("/metrics counts one commit for each write on PostgreSQL, and has no size of a write-ahead log", async () => {
  await using service = await startService({ METRICS_PORT: "0" });
  const samples = async () => (await (await fetch(service.metricsUrl!)).text()).match(SAMPLES);
  const commits = (count: number) => [
    `${METRICS_PREFIX}_commit_batch_size_sum ${count}`,
    `${METRICS_PREFIX}_commit_batch_size_count ${count}`,
  ];
  expect(await samples()).toEqual(commits(0));
  await Promise.all([service.add(), service.add(), service.add()]);
  expect([commits(3), commits(4)]).toContainEqual(await samples()); // the fourth is the last use of the key, saved after 3 s
});
