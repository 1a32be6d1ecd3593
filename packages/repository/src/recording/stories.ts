import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PNPM } from "@openapi-operations/command-line";
import { cloneEnvironment, cloneRepository, root } from "@platform/test-support/clone";
import { pnpmPath } from "@platform/test-support/pnpm";
import type { CastEvent } from "./cast.ts";
import { PROMPT, record, type Terminal } from "./terminal.ts";

/** A session at a terminal that a page shows. */
interface Story {
  title: string;
  /** What the picture shows, which the page also has as its alternative text. */
  description: string;
  page: string;
  /** The path of the recording and its picture, without their extensions. */
  path: string;
  play: (terminal: Terminal, folder: string) => Promise<void>;
}

const CONTRACT = "openapi/openapi.yaml";
const REPOSITORY = "apps/server/src/resources/pets/pets.repository.ts";
const CREATED_AT = `
        createdAt:
          type: [integer, "null"]
          description: The time when the animal was added, in milliseconds since 1970.
          minimum: 0
          maximum: 9007199254740991`;
/** The last line of a report. */
const REPORTED = /next\S* .*\r\n$/;

export const STORIES = {
  dev: {
    title: "pnpm dev",
    description:
      "A terminal with pnpm dev: after the contract gets a new field, the report names three additive changes and the line of code that lacks the field; after the column is added there, the code compiles and the service restarts.",
    page: "openapi/README.md",
    path: "openapi/dev",
    play: async ({ type, shows, mark }, folder) => {
      type(`${PNPM} dev`);
      await shows(REPORTED);
      mark("Edit openapi.yaml: version 1.1.0, and Pet gets createdAt");
      edit(join(folder, CONTRACT), {
        "version: 1.0.0\n": "version: 1.1.0\n",
        "\n    Pets:\n": `${CREATED_AT}\n    Pets:\n`,
      });
      await shows(REPORTED);
      mark("Edit pets.repository.ts: the column of createdAt");
      edit(join(folder, REPOSITORY), { '  status: "status",\n': '  status: "status",\n  createdAt: "created_at",\n' });
      await shows(REPORTED);
    },
  },
  "create-service": {
    title: "create-service",
    description:
      "A terminal with create-service: it creates a service from a contract of three operations, lists its resources, its names and the next commands; pnpm start then runs the service and prints a request to try.",
    page: "packages/create-openapi-operations/README.md",
    path: "packages/create-openapi-operations/docs/create-service",
    play: async ({ type, shows }, folder) => {
      cpSync(join(root, "packages/create-openapi-operations/contract/first.yaml"), join(folder, "../museum.yaml"));
      type(`${PNPM} create-service ../museum --contract ../museum.yaml`);
      await shows(PROMPT);
      type("cd ../museum");
      await shows(PROMPT);
      type(`${PNPM} start`);
      await shows(/Ctrl\+C stops it\.\r\n/);
    },
  },
} satisfies Record<string, Story>;

/** Plays a story in a new clone, and returns the recording. */
export async function recordingOf({ play }: Story): Promise<CastEvent[]> {
  const parent = mkdtempSync(join(tmpdir(), "recording-"));
  const folder = join(parent, "petstore");
  try {
    renameSync(cloneRepository().directory, folder);
    execFileSync(pnpmPath(), ["install", "--frozen-lockfile"], { cwd: folder, env: cloneEnvironment(), stdio: "pipe" });
    return await record(folder, (terminal) => play(terminal, folder));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Saves a file with replaced texts, each of which it must have. */
function edit(file: string, replacements: Record<string, string>): void {
  let text = readFileSync(file, "utf8");
  for (const [before, after] of Object.entries(replacements)) {
    if (!text.includes(before)) throw new Error(`${file} no longer has ${JSON.stringify(before)}.`);
    text = text.replace(before, after);
  }
  writeFileSync(file, text);
}
