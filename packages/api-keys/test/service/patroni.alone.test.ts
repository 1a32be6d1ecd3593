import { needsTool } from "@platform/test-support/machine";
import { createDatabase } from "@platform/test-support/postgres";
import { expect, test } from "vitest";
import { everyThing, type Failover, isAcknowledged, reportOf, startLoad } from "./load.ts";
import { networkUnavailable } from "./network.ts";
import { Cluster, patroniUnavailable } from "./patroni.ts";
import { programUnavailable, startPatroniHaproxy } from "./proxies.ts";
import { startService } from "./start.ts";

/** `pnpm --filter @openapi-operations/api-keys test:patroni` runs 30. */
const MINUTES = Number(process.env["PATRONI_MINUTES"] ?? 3);
const WRITERS = 8;
/** How soon after a promotion the service has to accept every request again. */
const RECOVERY_MS = 2_000;
/** A killed node takes over half a minute, and each event begins within the minutes. */
const LIMIT = 360_000 + MINUTES * 60_000;

/** What happens to the primary. Returns when another one is, by `performance.now()`, and what restores the node. */
type Event = (cluster: Cluster, leader: number) => Promise<{ promoted: number; restore?: () => void }>;

const EVENTS: Record<string, Event> = {
  "a killed node": async (cluster, leader) => {
    cluster.network.kill(leader);
    return { promoted: await cluster.promotion(leader), restore: () => cluster.run(leader) };
  },
  "a killed PostgreSQL": async (cluster, leader) => {
    cluster.network.kill(leader, "postgres");
    return { promoted: await cluster.promotion() };
  },
  "a cut network": async (cluster, leader) => {
    cluster.network.cut(leader);
    return { promoted: await cluster.promotion(leader), restore: () => cluster.network.restore(leader) };
  },
  "a planned switchover": async (cluster, leader) => {
    const [promoted] = await Promise.all([cluster.promotion(leader), cluster.switchOver(leader)]);
    return { promoted };
  },
};

const absence = patroniUnavailable() ?? programUnavailable("haproxy") ?? networkUnavailable();

test(
  "with Patroni, a killed node, a killed PostgreSQL, a cut network and a switchover lose and repeat nothing",
  { timeout: LIMIT },
  async (context) => {
    needsTool(context, absence);
    await using cluster = await Cluster.start();
    await using proxy = await startPatroniHaproxy(cluster.hosts);
    await expectNothingLost(cluster, proxy.host, Object.keys(EVENTS), MINUTES);
    await expectNothingLost(cluster, cluster.hosts.join(","), ["a killed node"], 0);
  },
);

/** Runs each of the events under writers, again until the minutes are over. */
async function expectNothingLost(cluster: Cluster, hosts: string, names: string[], minutes: number): Promise<void> {
  const leader = await cluster.untilComplete();
  const { url } = await createDatabase(cluster.url(cluster.hosts[leader]!));
  await using service = await startService({ DATABASE_URL: cluster.url(hosts, new URL(url).pathname.slice(1)) });
  const load = startLoad(WRITERS, (init) => service.request("/things", init));
  const failovers: (Failover & { name: string })[] = [];
  const end = performance.now() + minutes * 60_000;
  do {
    for (const name of names) {
      const former = await cluster.untilComplete();
      await load.until(100, isAcknowledged);
      for (const last of failovers.slice(-1)) last.next = performance.now();
      const { promoted, restore } = await EVENTS[name]!(cluster, former);
      await load.until(10 * WRITERS, isAcknowledged);
      failovers.push({ name, promoted, next: Infinity });
      restore?.();
    }
  } while (performance.now() < end);
  await cluster.untilComplete();
  const attempts = await load.stop();
  const stored = await everyThing(service.request);
  for (const name of names) {
    const report = reportOf(
      attempts,
      failovers.filter((each) => each.name === name),
      stored,
    );
    console.log({ event: name, hosts: hosts.split(",").length, ...report });
    expect(report).toMatchObject({ lost: 0, twice: 0 });
    expect.soft(report.slowest, name).toBeLessThan(RECOVERY_MS);
  }
}
