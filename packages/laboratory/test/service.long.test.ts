import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { root } from "@platform/test-support/clone";
import { needsTool } from "@platform/test-support/machine";
import { postgresUnavailable } from "@platform/test-support/postgres";
import { expect, test, vi } from "vitest";
import { createDatabases } from "../service/database.ts";
import { installPeers } from "../measuring/install.ts";
import { buildNativePeer, type NativePeer } from "../service/native-peers.ts";
import { compareResponses, type Server } from "../service/responses.ts";
import { startContender } from "../service/rounds.ts";
import { NATIVE_LABELS } from "../service/same-techniques.ts";
import { type Work, WORKS } from "../service/works.ts";

/** It installs and builds the peers first, in three languages. */
const BUILD_MS = 600_000;
const NATIVE = Object.keys(NATIVE_LABELS) as NativePeer[];

test(
  "the benchmark measures each workload, and all stacks return the same responses",
  { timeout: BUILD_MS },
  async () => {
    const words = ["packages/laboratory/bench.ts", "service", "--quick"];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
    for (const work of ["list 20", "list 100", "get by id", "create", "refuse with 400", "refuse with 401"])
      expect(stdout).toContain(`\n${work}, `);
    expect(stdout).toContain("│ this service ");
    for (const part of ["validation", "authentication", "errors", "log"])
      expect(stdout).toMatch(new RegExp(`│ ${part} +│.*0\\.0 → (?!0\\.0)\\d`));
    expect(stdout).toMatch(
      /\nThe medians of two copies of the service differ by up to \d+% by the clock and \d+% by CPU time\./,
    );
    for (const name of NATIVE)
      expect(stdout).toMatch(new RegExp(`│ ${NATIVE_LABELS[name]} |\nWithout the peer in ${name}: .`));
  },
);

test(
  "the benchmark measures requests and maintenance of PostgreSQL on disk",
  { timeout: BUILD_MS },
  async (context) => {
    needsTool(context, await postgresUnavailable());
    const words = ["packages/laboratory/bench.ts", "service", "disk", "--animals", "20000", "--rounds", "1"];
    const { stdout } = await promisify(execFile)(process.execPath, [...words, "--milliseconds", "100"], { cwd: root });
    expect(stdout).toMatch(
      /\nPostgreSQL: (512M of memory by a control group|no limit of memory but shared_buffers), .+\n20000 /,
    );
    for (const animals of [10_000, 20_000])
      expect(stdout).toMatch(new RegExp(`│ single animal, any, of ${animals} +│ '[1-9]`));
    expect(stdout).toMatch(/│ create index concurrently +│ '\d+\.\d' +│/);
    expect(stdout).toMatch(/│ copy of .+ GB on the same disk, and start from it +│ '\d+\.\d' +│/);
  },
);

test.each(NATIVE)("a missing toolchain leaves out the peer in %s, with the reason", async (name) => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  expect(await buildNativePeer(name, "/nowhere")).toBe(false);
  expect(log.mock.calls.flat().join("\n")).toMatch(new RegExp(`Without the peer in ${name}: .`));
  log.mockRestore();
});

const first = { method: "GET", path: "/v1/pets?limit=10", status: 200 } as const;

test("Fastify with the same techniques sends the same headers, and accepts the service's cursors", async () => {
  await installPeers();
  await using databases = await createDatabases(50);
  const { "refuse with 401": refused, create } = WORKS;
  const get = { method: "GET", path: "/v1/pets/1", status: 200 } as const;
  const filtered = { method: "GET", path: "/v1/pets?limit=5&status=available", status: 200 } as const;
  using service = await startContender("this service", { name: "petstore" }, databases);
  using peer = await startContender("Fastify", { name: "fastify-tuned" }, databases);
  const { link } = await headersOf(service, first);
  const next = { method: "GET", path: /<(.+)>/.exec(link!)![1]!, status: 200 } as const;
  for (const work of [first, filtered, get, create, refused, next])
    expect(await headersOf(peer, work)).toEqual(await headersOf(service, work));
  await compareResponses([service, peer], [next]);
});

test("a bare peer returns what was created, and the next page", { timeout: BUILD_MS }, async () => {
  await installPeers();
  await using databases = await createDatabases(15);
  const second = { method: "GET", path: "/v1/pets?limit=10&cursor=MToxMA", status: 200 } as const;
  for (const name of ["fastify-bare", ...NATIVE] as const) {
    if (name !== "fastify-bare" && !(await buildNativePeer(name))) continue;
    using service = await startContender("this service", { name: "petstore" }, databases);
    using peer = await startContender(name, { name }, databases);
    const works = [first, second, WORKS.create, second];
    await expect(compareResponses([service, peer], works), name).resolves.toBeUndefined();
  }
});

/** Returns the headers of a response, without those of the connection and those that differ between two responses. */
async function headersOf({ port, key: own }: Server, work: Work): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${port}${work.path}`, {
    method: work.method,
    headers: { Authorization: `Bearer ${work.key ?? own}`, "Content-Type": "application/json" },
    ...(work.body !== undefined && { body: JSON.stringify(work.body) }),
  });
  await response.body?.cancel();
  expect(response.status).toBe(work.status);
  const { connection: _, "keep-alive": __, date, "x-request-id": id, ...rest } = Object.fromEntries(response.headers);
  expect(date).toBeDefined();
  expect(id).toMatch(/^[\da-f-]{36}$/);
  return { ...rest, "content-type": rest["content-type"]!.split(";", 1)[0]! };
}

test("a peer in another language ends with its contender", async () => {
  await using databases = await createDatabases(1);
  for (const name of NATIVE) {
    if (!(await buildNativePeer(name))) continue;
    const pid = await startAndDispose(name);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  }

  async function startAndDispose(name: NativePeer): Promise<number> {
    using contender = await startContender(name, { name }, databases);
    const started = await contender.ask<number>("process id");
    expect(existsSync(`/proc/${started}`)).toBe(true);
    return started;
  }
});
