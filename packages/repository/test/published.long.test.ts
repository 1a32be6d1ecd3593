import { execFile, type PromiseWithChild } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "@platform/test-support/clone";
import { packagingProblems } from "@platform/test-support/installed-package";
import { freePort } from "@platform/test-support/machine";
import { pnpmPath } from "@platform/test-support/pnpm";
import { packAll, platformPackages, type PublishedPackage } from "@platform/test-support/published";
import { type Registry, startRegistry } from "@platform/test-support/registry";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const packages = platformPackages();

/** The peers of the packages, and two compilers. */
const PEERS = {
  "@cfworker/json-schema": "4",
  "@scalar/api-reference": "1",
  "@tanstack/react-query": "5",
  "@types/node": "26",
  "@types/react": "19",
  "openapi-typescript": "7",
  react: "19",
  swr: "2",
  typescript: "5.9.3",
  "typescript-7": "npm:typescript@7.0.2",
  vitest: "5",
};

/** Entries without CommonJS of the packages that have it. */
const ESM_ONLY: Record<string, string[]> = {
  "fetch-operations": ["./generate", "./node"],
  "openapi-document": ["./openapi-typescript"],
};

/** Runs in a thread of `withProgress` alone. */
const WORKER = "@openapi-operations/command-line/progress-worker";

/** Returns the published entries of a package as users import them; without the pattern of `fetch-operations/parts`. */
function entriesOf({ name, exports }: PublishedPackage): string[] {
  const published = Object.entries(exports).filter(
    ([entry, file]) => file.startsWith("./src/") && !entry.includes("*"),
  );
  return published.map(([entry]) => name + entry.slice(1));
}

/** All packages, published to a registry, and installed from there into an empty folder with an empty store. */
describe("the published packages", { timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "published-"));
  const entries = packages.flatMap(entriesOf);
  let registry: Registry;
  let tarballs: Map<string, string>;
  let pnpm: string;

  beforeAll(async () => {
    pnpm = pnpmPath();
    [tarballs, registry] = await Promise.all([packAll(), startRegistry()]);
    for (const tarball of tarballs.values()) await registry.publish(tarball);
    const names = packages.map(({ name }) => [name, "*"]);
    await install("all", { ...Object.fromEntries(names), ...PEERS });
  }, 300_000);
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Installs dependencies into a new project. A package finds what it declares, and nothing else. */
  async function install(project: string, dependencies: object): Promise<string> {
    const directory = join(folder, project);
    mkdirSync(directory);
    writeFileSync(join(directory, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
    const settings = {
      hoist: false,
      minimumReleaseAge: 0,
      allowBuilds: { "vue-demi": false }, // of Scalar, which is served as one file
      storeDir: join(folder, "store"),
      cacheDir: join(folder, "cache"),
    };
    writeFileSync(join(directory, "pnpm-workspace.yaml"), JSON.stringify(settings));
    await run(pnpm, ["install", "--registry", `${registry.url}/`], { cwd: directory });
    return directory;
  }

  test("are nine, and have one version", () => {
    const versions = packages.map(({ folder: from }) => manifestOf(join(root, from)).version);
    expect([packages.length, new Set(versions).size]).toEqual([9, 1]);
  });

  test.each(packages)("$name passes publint and attw", async ({ name }) => {
    expect(await packagingProblems(tarballs.get(name)!, ESM_ONLY[name])).toEqual([]);
  });

  test("can be imported, each entry", async () => {
    const imports = entries.filter((entry) => entry !== WORKER).map((entry) => `await import("${entry}");`);
    expect(await node(join(folder, "all"), imports.join("\n"))).toEqual({ stdout: "", stderr: "" });
  });

  test("have commands that print their usage", async () => {
    const cwd = join(folder, "all");
    const commands = packages.flatMap(({ bin = {} }) => Object.keys(bin));
    expect(commands).toEqual(expect.arrayContaining(["contract", "dev", "mock", "scaffold"]));
    for (const command of commands) {
      const { stdout } = await run(join(cwd, "node_modules/.bin", command), ["--help"], { cwd });
      expect(stdout).toMatch(new RegExp(`^Usage: ${command} `, "m"));
    }
  });

  test("show the progress of long work, by the worker in their package", async () => {
    const work = `import { text } from "node:stream/consumers";
      import { withProgress } from "@openapi-operations/command-line";
      await withProgress((report) => {
        report("Working");
        return text(process.stdin);
      });`;
    const running = node(join(folder, "all"), work);
    running.child.stderr!.once("data", () => running.child.stdin!.end());
    expect((await running).stderr).toMatch(/^Working, \d s$/m);
  });

  test.each(["typescript", "typescript-7"])("compile with their declarations, by %s", async (compiler) => {
    const types = entries.map((entry, index) => `import type * as entry${index} from "${entry}";`);
    const used = `export type Entries = [${entries.map((_, index) => `typeof entry${index}`).join(", ")}];`;
    const cwd = join(folder, "all");
    writeFileSync(join(cwd, "entries.ts"), [...types, used].join("\n"));
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
    const target = { module: "nodenext", target: "es2024", lib: ["es2024"], types: ["node"] };
    writeFileSync(
      join(cwd, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...strict, ...target }, include: ["entries.ts"] }),
    );
    const compiled = run(process.execPath, [join(cwd, "node_modules", compiler, "bin/tsc")], { cwd });
    const { stdout } = await compiled.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });

  describe.each(packages.filter(({ name }) => name.startsWith("@")))("$name", ({ name, folder: from, ...manifest }) => {
    const readme = readFileSync(join(root, from, "README.md"), "utf8");

    test("has a README with each entry", () => {
      const named = entriesOf({ name, folder: from, ...manifest }).filter((entry) => {
        return !readme.includes(`| \`${entry}\` |`) && !readme.includes(`| \`${entry.slice(name.length + 1)}\` |`);
      });
      expect(named).toEqual([]);
      expect(readme.split("\n").length).toBeLessThanOrEqual(120);
    });

    test("exports the names in the table of its README", () => {
      const rows = readme.matchAll(/^\| `([\w./@-]+)` \| ([^|]*`[^|]*) \|/gm);
      const missing = Array.from(rows, ([, entry = "", names = ""]) => {
        const source = manifest.exports[entry.startsWith(name) ? `.${entry.slice(name.length)}` : `./${entry}`];
        const code = source === undefined ? "" : readFileSync(join(root, from, source), "utf8");
        return Array.from(names.matchAll(/`(\w+)`/g), ([, each]) => each!).filter(
          (each) =>
            source !== undefined && !/export \* from/.test(code) && !new RegExp(`export[^;]*\\b${each}\\b`).test(code),
        );
      });
      expect(missing.flat()).toEqual([]);
    });

    test("does what its README shows", async () => {
      const port = String(await freePort());
      const steps = stepsOf(readme.replaceAll("3000", port));
      const [command, ...others] = steps.flatMap(({ language, text }) => (language === "sh" ? [text] : []));
      const cwd = await install(from.replaceAll("/", "-"), dependenciesOf(command!));
      for (const { file, text } of steps) if (file !== undefined) write(join(cwd, file), text);
      const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
      const { stdout } = await run("sh", ["-ec", others.join("")], { cwd, env });
      const shown = steps
        .filter(({ language }) => language === "text")
        .flatMap(({ text }) => text.trimEnd().split("\n"));
      expect(shown.length).toBeGreaterThan(0);
      for (const line of shown) expect(stdout).toMatch(patternOf(line));
    });
  });
});

/** The code blocks of a README, each with the file that the sentence before it names. */
function stepsOf(readme: string): { file?: string; language: string; text: string }[] {
  const blocks = readme.matchAll(/(?:`([\w./-]+)`[^\n`]*:\n\n)?```(\w+)\n([\s\S]*?)^```/gm);
  return Array.from(blocks, ([, file, language, text]) => ({
    ...(file && { file }),
    language: language!,
    text: text!,
  }));
}

/** Returns the packages that a line `npm install …` names, in any version. */
function dependenciesOf(command: string): object {
  const names = command.trim().split(/\s+/).slice(2);
  return Object.fromEntries(names.filter((word) => !word.startsWith("-")).map((name) => [name, "*"]));
}

/** A line of output, in which `…` stands for anything. */
function patternOf(line: string): RegExp {
  const parts = line.split("…").map((part) => part.replaceAll(/[^\w\s]/g, String.raw`\$&`));
  return new RegExp(parts.join(".*"));
}

function manifestOf(folder: string): { version: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Runs a program in a folder. It is a file, since threads of a program without one do not start. */
function node(cwd: string, code: string): PromiseWithChild<{ stdout: string; stderr: string }> {
  writeFileSync(join(cwd, "program.js"), code);
  return run(process.execPath, ["program.js"], { cwd });
}
