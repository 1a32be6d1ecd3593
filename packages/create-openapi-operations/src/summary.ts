import { relative } from "node:path";
import { PNPM } from "@openapi-operations/command-line";
import { verifierOf } from "@openapi-operations/contract-tools/credentials";
import type { Created } from "./create.ts";
import type { Names } from "./names.ts";
import { resourcesOf } from "./resources.ts";
import { RUN } from "./workspace.ts";

/** Returns what was created, what the team should know, and the next three commands. */
export function summaryText(
  folder: string,
  { name, pascal, upper }: Names,
  {
    contract: { document, entries, schemes, broken },
    unmet,
    exceptions,
    workspace,
    oldNode,
    failure,
    isCommitted,
  }: Created,
): string {
  const { title, version } = document.info;
  const resources = resourcesOf(entries).map(({ place, entries: own }) => `${place.resourceName} (${own.length})`);
  const kinds = new Set(Array.from(schemes.values(), verifierOf));
  const notes = [
    ...(broken.length > 0
      ? [
          `${counted(broken.length, "operation")} with invalid schemas, which contract check lists: ${shortList(broken)}`,
        ]
      : []),
    ...(unmet.length > 0
      ? [
          `${counted(unmet.length, "house rule")} not met yet, now at warn in openapi/redocly.yaml: ${shortList(unmet.map(({ rule, places }) => `${rule} (${places})`))}`,
        ]
      : []),
    ...exceptions.map(({ reason }) => `The client: ${reason}`),
    ...(kinds.has("basic")
      ? ["Write verifyPassword in apps/server/src/password.ts; until then each password gets 401."]
      : []),
    ...(kinds.has("none")
      ? ["Some security schemes cannot be validated yet and get 401: see apps/server/src/security.ts."]
      : []),
    ...(workspace
      ? [
          `The packages have joined the workspace ${workspace.root}. Install it with ${workspace.manager} install, and run it with Node 22.18 or newer${oldNode === undefined ? "" : `; Node ${oldNode}, which runs there now, is too old`}.`,
        ]
      : []),
    ...(failure === undefined ? [] : [`The install failed; the first command tries again.\n${lastLines(failure)}`]),
    ...(isCommitted || workspace
      ? []
      : ["There is no first commit for dev and contract diff to compare with: make one."]),
    ...(schemes.size === 0 ? ["No operation requires credentials: anyone may send any request."] : []),
  ];
  const run = workspace === undefined ? PNPM : RUN[workspace.manager];
  const next = [
    [`cd ${/[\s'"()&;$]/.test(folder) ? JSON.stringify(folder) : folder}`, "has the README of the service"],
    [`${run} start`, "runs the service, and prints a request to try"],
    [`${run} dev`, "runs it and reports after each save: replace stub() in apps/server/src/resources"],
  ] as const;
  const longest = Math.max(...next.map(([command]) => command.length));
  return [
    `${title} ${version}: ${counted(entries.length, "operation")} in ${folder}`,
    `  resources  ${shortList(resources)}; each operation is a stub and responds with 501`,
    `  names      @${name}/contract, @${name}/client (create${pascal}), @${name}/server; settings ${upper}_…`,
    ...notes.map((note) => `  note       ${note}`),
    "",
    "Next:",
    ...next.map(([command, effect]) => `  ${command.padEnd(longest)}  ${effect}`),
  ].join("\n");
}

/** Returns the path of a folder from another one, or the absolute path if it is shorter. */
export function shortPath(folder: string, from: string): string {
  const path = relative(from, folder) || ".";
  return path.length <= folder.length ? path : folder;
}

function lastLines(output: string): string {
  return output.trimEnd().split("\n").slice(-5).join("\n");
}

/** `1 file`, `2 files`. */
function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function shortList(items: string[]): string {
  return items.length > 8 ? `${items.slice(0, 8).join(", ")} and ${items.length - 8} more` : items.join(", ");
}
