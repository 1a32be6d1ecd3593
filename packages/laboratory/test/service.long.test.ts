import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { root } from "@platform/test-support/clone";
import { needsTool } from "@platform/test-support/machine";
import { postgresUnavailable } from "@platform/test-support/postgres";
import { expect, test, vi } from "vitest";
import { createDatabases } from "../service/database.ts";
import { installPeers } from "../measuring/install.ts";
import { buildRustPeer } from "../service/rust-peer.ts";
import { compareResponses, type Server } from "../service/responses.ts";
import { startContender } from "../service/rounds.ts";
import { AXUM } from "../service/same-techniques.ts";
import { type Work, WORKS } from "../service/works.ts";

/** It installs and builds the peers first, in two languages. */
const BUILD_MS = 600_000;

test(
  "the benchmark measures each workload, and all stacks return the same responses",
  { timeout: BUILD_MS },
  async () => {
    const words = ["packages/laboratory/bench.ts", "service", "--quick"];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
    for (const work of ["list 20", "list 100", "get by id", "create", "refuse with 400", "refuse with 401"])
      expect(stdout).toContain(`\n${work}, `);
    expect(stdout).toContain("│ this service ");
    expect(stdout).toMatch(
      /\nThe medians of two copies of the service differ by up to \d+% by the clock and \d+% by CPU time\./,
    );
    expect(stdout).toMatch(new RegExp(`│ ${AXUM} |\nWithout the peer in Rust: .`));
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

test("a missing toolchain leaves out its peer, with the reason", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  expect(await buildRustPeer("/nowhere")).toBe(false);
  expect(log.mock.calls.flat().join("\n")).toMatch(/Without the peer in Rust: ./);
  log.mockRestore();
});

test("stacks with the same techniques send the same headers, and accept each other's cursors", async () => {
  await installPeers();
  await using databases = await createDatabases(50);
  const { "refuse with 401": refused, create } = WORKS;
  const get = { method: "GET", path: "/v1/pets/1", status: 200 } as const;
  const filtered = { method: "GET", path: "/v1/pets?limit=5&status=available", status: 200 } as const;
  const first = { method: "GET", path: "/v1/pets?limit=10", status: 200 } as const;
  const works: Work[] = [first, filtered, get, create, refused];
  for (const name of (await buildRustPeer()) ? (["fastify-tuned", "rust"] as const) : (["fastify-tuned"] as const)) {
    using service = await startContender("this service", { name: "petstore" }, databases);
    using peer = await startContender(name, { name }, databases);
    for (const work of works) expect(await headersOf(peer, work), name).toEqual(await headersOf(service, work));
    const { link } = await headersOf(service, first);
    const next = { method: "GET", path: /<(.+)>/.exec(link!)![1]!, status: 200 } as const;
    await compareResponses([service, peer], [next]);
    expect(await headersOf(peer, next), name).toEqual(await headersOf(service, next));
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
  if (!(await buildRustPeer())) return;
  await using databases = await createDatabases(1);
  const pid = await startAndDispose();
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);

  async function startAndDispose(): Promise<number> {
    using contender = await startContender(AXUM, { name: "rust" }, databases);
    const started = await contender.ask<number>("process id");
    expect(existsSync(`/proc/${started}`)).toBe(true);
    return started;
  }
});
