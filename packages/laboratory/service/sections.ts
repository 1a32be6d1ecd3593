import { ratioOf, show, spreadOf } from "../measuring/figures.ts";
import { withProgress } from "@openapi-operations/command-line";
import { inTurns } from "../measuring/process.ts";
import { type Contender, type Label, LINEUP } from "./contenders.ts";
import { createDatabases } from "./database.ts";
import {
  type Bench,
  type RunningContender,
  startContenders,
  measureFresh,
  type Series,
  startContender,
} from "./rounds.ts";
import type { Tuning } from "./service.ts";
import { MIXED, type Work, type WorkName, WORKS } from "./works.ts";

const PETSTORE: Contender = { name: "petstore" };

/** Compares all stacks on the six works. */
export async function compareStacks(bench: Bench): Promise<void> {
  const start = (running: DisposableStack) => startContenders<Label>(running, LINEUP, bench.databases);
  for (const [name, all] of Object.entries(await measureFresh(bench, start, WORKS)))
    print(
      `${name}, ${bench.effort.connections} connections`,
      all,
      "Fastify as documented",
      "Fastify, same techniques",
      "Fastify, same techniques, no caches",
    );
}

/** Compares durable creations (synchronous=FULL) with one commit per request. */
export async function durableCreations({ load, databases, effort }: Bench): Promise<void> {
  const lineup = {
    "this service": PETSTORE,
    "this service, one commit per request": { name: "petstore", tuning: { largestGroup: 1 } },
    "Fastify, same techniques": LINEUP["Fastify, same techniques"],
    "Fastify as documented": LINEUP["Fastify as documented"],
  } satisfies Record<string, Contender>;
  const start = (running: DisposableStack) =>
    startContenders<keyof typeof lineup>(running, lineup, databases, { synchronous: "full" });
  for (const connections of [effort.connections, effort.connections * 8]) {
    const { create } = await measureFresh({ load, effort: { ...effort, connections } }, start, {
      create: WORKS.create,
    });
    print(`create, synchronous=FULL, ${connections} connections`, create, "this service, one commit per request");
  }
}

/** Compares stacks on nine reads per creation. */
export async function mixedLoad(bench: Bench): Promise<void> {
  const labels = [
    "this service",
    "Fastify, same techniques",
    "Fastify as documented",
    "Express + EOV + Kysely as documented",
  ] as const;
  const lineup = Object.fromEntries(labels.map((label) => [label, LINEUP[label]])) as Record<
    (typeof labels)[number],
    Contender
  >;
  const { mixed } = await measureFresh(bench, (running) => startContenders(running, lineup, bench.databases), {
    mixed: MIXED,
  });
  print("mixed: 90% reads, 10% creations", mixed, "Fastify as documented");
}

/** Measures the seconds from start to the first response. The first round does not count, because it bundles the service. */
export async function startUp({ databases, effort }: Bench): Promise<void> {
  const labels = ["this service", "Fastify as documented"] as const;
  const seconds: Record<(typeof labels)[number], number[]> = { "this service": [], "Fastify as documented": [] };
  await inTurns("Starting", effort.rounds, [...labels], async (label, isCounted) => {
    const path = await databases.copy();
    const started = performance.now();
    const copied = { ...databases, copy: async () => path };
    using contender = await startContender(label, LINEUP[label], copied, { isPinned: false });
    const response = await fetch(`http://127.0.0.1:${contender.port}/v1/pets`, {
      headers: { Authorization: `Bearer ${contender.key}` },
    });
    await response.text();
    if (isCounted) seconds[label].push((performance.now() - started) / 1000);
  });
  console.log("\nseconds from start to first response");
  console.table(
    Object.fromEntries(
      labels.map((label) => [
        label,
        {
          seconds: show(spreadOf(seconds[label])),
          "to Fastify as documented": show(ratioOf(seconds[label], seconds["Fastify as documented"])),
        },
      ]),
    ),
  );
}

/** Compares the service without caching on few animals and on `animals`. */
export async function growth({ load, effort }: Bench, animals: number): Promise<void> {
  await using few = await createDatabases(1_000);
  await using many = await withProgress((report) => {
    report(`Creating ${animals} animals`);
    return createDatabases(animals);
  });
  const withoutCaching = LINEUP["this service, no caches"];
  const start = async (running: DisposableStack): Promise<RunningContender<"1,000 animals" | "many animals">[]> => [
    running.use(await startContender("1,000 animals", withoutCaching, few)),
    running.use(await startContender("many animals", withoutCaching, many)),
  ];
  const works = {
    "list 20": WORKS["list 20"],
    // Ten of a thousand animals have this status, so a page of five and the check for a next page cost the same as with more.
    "list by rare status": { method: "GET", path: "/v1/pets?status=pending&limit=5", status: 200 },
    "get by id": { method: "GET", path: "/v1/pets/900", status: 200 },
  } satisfies Record<string, Work>;
  for (const [name, all] of Object.entries(await measureFresh({ load, effort }, start, works))) {
    print(`${name}: ${animals} animals to 1,000`, all, "1,000 animals");
  }
}

/** The techniques: the service without each, and the works that it concerns. */
const TECHNIQUES: Record<string, { without: Tuning; works: WorkName[]; connections?: number }> = {
  "responses and keys cached": {
    without: { isCaching: false },
    works: ["list 20", "list 100", "get by id", "create", "refuse with 401"],
  },
  "requests and responses made with Express's prototypes": {
    without: { isPlain: true },
    works: ["list 20", "get by id", "create", "refuse with 400", "refuse with 401"],
  },
  "default headers as one text": {
    without: { hasSingleHeaders: true },
    works: ["get by id", "create", "refuse with 400", "refuse with 401"],
  },
  "commits in groups": { without: { largestGroup: 1 }, works: ["create"] },
  "no objects made in the old generation": {
    without: { isPretenuring: true },
    works: ["list 20", "create"],
    connections: 256,
  },
};

/** Measures the gain of each technique: the service with it relative to the service without it. */
export async function techniques(bench: Bench): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  const memory: typeof rows = {};
  for (const [name, { without, works, ...more }] of Object.entries(TECHNIQUES)) {
    const lineup: Record<"with" | "again" | "without", Contender> = {
      with: PETSTORE,
      again: PETSTORE,
      without: { name: "petstore", tuning: without },
    };
    const start = (running: DisposableStack) => startContenders(running, lineup, bench.databases);
    const effort = { ...bench.effort, ...more };
    const chosen = Object.fromEntries(works.map((work) => [work, WORKS[work]]));
    const all = await measureFresh({ ...bench, effort }, start, chosen);
    const gains: Record<string, string> = (rows[name] = {});
    const megabytes: Record<string, string> = (memory[name] = {});
    for (const [work, series] of Object.entries(all)) {
      const gain = show(ratioOf(series.with.perCpuSecond, series.without.perCpuSecond));
      gains[work] = `${gain}; noise ${show(ratioOf(series.with.perCpuSecond, series.again.perCpuSecond))}`;
      megabytes[work] =
        `${show(spreadOf(series.with.megabytes), 0)}; without ${show(spreadOf(series.without.megabytes), 0)}`;
    }
  }
  console.log(
    "\ngain of each technique: requests per second of CPU time with it relative to without it; noise: two identical services",
  );
  console.table(rows);
  console.log("\nmemory after each measurement with each technique, in MB");
  console.table(memory);
}

/** Prints a table of the contenders, with ratios to each of the bases, by the clock and by CPU time. */
export function print<Name extends string>(title: string, all: Record<Name, Series>, ...bases: NoInfer<Name>[]): void {
  console.log(`\n${title}`);
  const rows = Object.entries<Series>(all).map(([label, series]) => {
    const ratios = bases.flatMap((base, at) => [
      [`to ${String.fromCharCode(65 + at)}`, show(ratioOf(series.perSecond, all[base].perSecond))],
      [`to ${String.fromCharCode(65 + at)}, CPU`, show(ratioOf(series.perCpuSecond, all[base].perCpuSecond))],
    ]);
    return [
      label,
      {
        "requests/s": show(spreadOf(series.perSecond), 0),
        ...(Object.fromEntries(ratios) as Record<string, string>),
        "CPU µs": show(spreadOf(series.perCpuSecond.map((rate) => 1e6 / rate)), 0),
        MB: show(spreadOf(series.megabytes), 0),
        idle: `${(100 * spreadOf(series.idle).median).toFixed(0)}%`,
      },
    ];
  });
  console.table(Object.fromEntries(rows));
  console.log(bases.map((base, at) => `${String.fromCharCode(65 + at)}: ${base}`).join(", "));
}
