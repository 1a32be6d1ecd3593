import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
