import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isOfTemplate, repositoryFiles, root } from "@platform/test-support/clone";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Manifest {
  name: string;
  scripts?: Record<string, string>;
}

const manifestFiles = repositoryFiles("*package.json").filter((file) => !isOfTemplate(file));
const manifests = manifestFiles.map((file) => {
  const text = readFileSync(join(root, file), "utf8");
  return { folder: dirname(file), ...(JSON.parse(text) as Manifest) };
});
const scripts = manifests.flatMap(({ folder, scripts: own = {} }) =>
  Object.entries(own).map(([name, script]) => ({ folder, name, script })),
);

/** The characters that `cmd.exe` takes for something else than a POSIX shell does. */
const SHELL = /[$'`;|<>%^*!(){}&]/;

test("cmd.exe and POSIX shells start every script alike", () => {
  const commands = scripts.flatMap(({ script, ...of }) => script.split(" && ").map((command) => ({ ...of, command })));
  expect(commands.filter(({ command }) => SHELL.test(command))).toEqual([]);
  expect(commands.filter(({ folder, command }) => !isProgram(folder, command.split(" ")[0]!))).toEqual([]);
});

/** Returns whether every system has a program: pnpm links those of packages for the scripts of a folder. */
function isProgram(folder: string, program: string): boolean {
  if (program === "node" || program === "pnpm") return true;
  return [folder, "."].some((from) => existsSync(join(root, from, "node_modules/.bin", program)));
}

/** Code that some system does not run, and the remedy. */
const NOT_PORTABLE: [pattern: RegExp, remedy: string][] = [
  [
    /(?:spawn|execFile)(?:Sync)?\(\s*"(?:npm|npx|pnpm|tsc|turbo|oxfmt|oxlint|redocly|vitest|cspell)"/,
    "On Windows this is a batch file: run its JavaScript with process.execPath, or the command with execSync.",
  ],
  [
    /new URL\([^()]*import\.meta\.url\)\.pathname/,
    "On Windows it starts with /C:. Use fileURLToPath or import.meta.dirname.",
  ],
  [/import\((?:join|resolve)\(/, "Node takes C: for a protocol. Use pathToFileURL."],
  [/["'`]\/(?:tmp|var\/tmp)[/"'`]/, "Use tmpdir()."],
  [/\bfsync(?:Sync)?\(/, "Windows syncs no folder. Use syncFile or syncFolder."],
];

/** Code that runs on Linux alone, and the one place of a call. */
const ALLOWED =
  /^(?:packages\/laboratory\/|packages\/storage\/src\/maintenance\/backup\.ts$|packages\/fetch-operations\/test\/config\.test\.ts$|packages\/repository\/test\/platforms\.test\.ts$)/;

test("the code runs on Windows too", () => {
  const files = repositoryFiles("*.ts", "*.js", "*.mjs").filter((file) => !ALLOWED.test(file));
  const found = files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return NOT_PORTABLE.flatMap(([pattern, remedy]) => {
      const [code] = pattern.exec(text) ?? [];
      return code === undefined ? [] : [`${file}: ${code}: ${remedy}`];
    });
  });
  expect(found).toEqual([]);
});

/** Packages with programs for one system each. pnpm leaves out those that it does not know when it writes the lockfile. */
const NATIVE = /^(@typescript\/typescript|@turbo\/|@oxlint\/|@oxlint-tsgolint\/|@oxfmt\/|@rolldown\/|lightningcss)/;

test("the lockfile has the programs of Linux, macOS and Windows, for x64 and arm64", () => {
  const lockfile = parse(readFileSync(join(root, "pnpm-lock.yaml"), "utf8")) as {
    packages: Record<string, { os?: string[]; cpu?: string[] }>;
  };
  const found = new Map<string, string[]>();
  for (const [name, { os = [], cpu = [] }] of Object.entries(lockfile.packages)) {
    const [family] = NATIVE.exec(name) ?? [];
    if (family === undefined) continue;
    found.set(family, [...(found.get(family) ?? []), ...os.flatMap((one) => cpu.map((other) => `${one}-${other}`))]);
  }
  expect(found.size).toBe(7);
  for (const [family, systems] of found) {
    const wanted = ["linux", "darwin", "win32"].flatMap((os) => [`${os}-x64`, `${os}-arm64`]);
    expect(systems, family).toEqual(expect.arrayContaining(wanted));
  }
});
