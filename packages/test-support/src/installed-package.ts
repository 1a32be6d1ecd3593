import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { pack, pnpmPath } from "./pnpm.ts";

/** A package as its users have it: packed, and installed in a project outside the workspace. */
export interface InstalledPackage extends Disposable {
  /** The folder of the project. */
  directory: string;
  tarball: string;
  write: (file: string, content: string | object) => void;
  /** Type-checks files with a compiler of the project, by its package name. Returns its output; empty if there are no errors. */
  typecheck: (compiler: string, compilerOptions: object, include: string[]) => string;
  /** Starts a program of the project that listens on `PORT` and then prints `port: …`. */
  serve: (file: string, env?: NodeJS.ProcessEnv) => Promise<RunningProgram>;
}

/** A running program. Disposing ends it. */
export interface RunningProgram extends AsyncDisposable {
  origin: string;
}

/**
 * Packs the package in a folder and installs it in a new project, with other dependencies. `companions` are the folders of
 * packages of this repository that it depends on.
 */
export function installPacked(
  source: string,
  dependencies: Record<string, string>,
  companions: string[] = [],
): InstalledPackage {
  const directory = mkdtempSync(join(tmpdir(), "consumer-"));
  const tarball = join(directory, "package.tgz");
  const write: InstalledPackage["write"] = (file, content) =>
    writeFileSync(join(directory, file), typeof content === "string" ? content : JSON.stringify(content));
  const program = pnpmPath();
  const pnpm = (cwd: string, ...args: string[]) =>
    execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  pack(source, tarball);
  const nameOf = (folder: string) =>
    (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name: string }).name;
  const overrides = companions.map((folder, index) => {
    const file = join(directory, `companion-${index}.tgz`);
    pack(folder, file);
    return [nameOf(folder), `file:${file}`] as const;
  });
  write("package.json", {
    private: true,
    type: "module",
    dependencies: { [nameOf(source)]: `file:${tarball}`, ...dependencies },
  });
  write("pnpm-workspace.yaml", { overrides: Object.fromEntries(overrides) });
  pnpm(directory, "install", "--prefer-offline");
  return {
    directory,
    tarball,
    write,
    typecheck: (compiler, compilerOptions, include) => {
      // The strictest settings of users, which also check the declarations of libraries.
      const strictness = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
      write("tsconfig.json", { compilerOptions: { ...strictness, ...compilerOptions }, include });
      const tsc = join(directory, "node_modules", compiler, "bin/tsc");
      const { stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8" });
      return stdout + stderr;
    },
    serve: async (file, env) => {
      const server = spawn(process.execPath, [file], {
        cwd: directory,
        env: { ...process.env, PORT: "0", ...env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(server, "exit");
      const [line] = (await Promise.race([once(server.stdout, "data"), ended])) as [unknown];
      const port = /port: (\d+)/.exec(String(line))?.[1];
      if (port === undefined) {
        server.kill();
        throw new Error(`${file} did not print its port. It ended or printed: ${String(line)}`);
      }
      return {
        origin: `http://127.0.0.1:${port}`,
        [Symbol.asyncDispose]: async () => {
          server.kill();
          await ended;
        },
      };
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

/**
 * Returns the problems that publint and attw find in a packed package. `esmOnly` are the entry points without CommonJS, such as
 * `./node`; the default is a package without CommonJS.
 */
export async function packagingProblems(tarball: string, esmOnly?: string[]): Promise<string[]> {
  const data = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: data.buffer } });
  const analysis = await checkPackage(createPackageFromTarballData(data));
  const problems: Problem[] = analysis.types === false ? [] : analysis.problems;
  return [
    ...messages.map((message) => formatMessage(message, pkg)!),
    ...(analysis.types === false ? ["attw: there are no types"] : []),
    ...problems
      .filter((problem) => !isOfRequire(problem, esmOnly))
      .map((problem) => `attw: ${JSON.stringify(problem)}`),
  ];
}

/** Whether the problem concerns `require` or the resolution of Node 10, as attw's profile `esm-only` ignores them. */
function isOfRequire(problem: Problem, esmOnly?: string[]): boolean {
  if (!("resolutionKind" in problem) || !["node10", "node16-cjs"].includes(problem.resolutionKind)) return false;
  return esmOnly === undefined || ("entrypoint" in problem && esmOnly.includes(problem.entrypoint));
}
