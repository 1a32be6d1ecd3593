import { PNPM } from "@platform/command-line";
import { verifierOf } from "@platform/contract-tools/credentials";
import type { Adopted } from "./adopt.ts";
import type { Contract } from "./contract.ts";
import type { ContractFiles } from "./contract-files.ts";
import type { Names } from "./names.ts";
import { resourcesOf } from "./service-files.ts";

/** Returns what is about to happen, for the question before it. */
export function planText(
  path: string,
  { name, pascal, upper, lower }: Names,
  { files }: ContractFiles,
  { document, entries, security, basePath }: Contract,
  removed: string[],
): string {
  const { title, version } = document.info;
  const resources = resourcesOf(entries);
  const schemes = Array.from(security.schemes, ([id, scheme]) => `${id} (${VERIFIERS[verifierOf(scheme)]})`);
  const unused = unusedSchemes(document, security);
  return [
    "",
    `  contract   ${title} ${version}, OpenAPI ${document.openapi}: ${counted(entries.length, "operation")}, from ${path}`,
    `             ${counted(files.size, "file")} in openapi: ${shortList([...files.keys()])}`,
    `  names      @${name}/contract, @${name}/client (create${pascal}), @${name}/server; settings ${upper}_…; API keys ${lower}_…; command ${name}`,
    `  resources  ${shortList(resources.map(({ place, entries: own }) => `${place.resourceName} (${own.length})`))}`,
    `  security   ${schemes.length === 0 ? "none" : schemes.join(", ")}${unused.length === 0 ? "" : `; declared, but required by no operation: ${unused.join(", ")}`}`,
    `  base path  ${basePath || "none"}`,
    `  removes    ${counted(removed.length, "file")}: the petstore's resource, migrations, tests, tutorial, pages and shop front`,
    "",
  ].join("\n");
}

const VERIFIERS = {
  apiKey: "API keys of the service",
  token: "tokens of an issuer",
  basic: "a function to write",
  none: "not supported: 401",
};

/** Returns the names of the declared security schemes that no operation requires. */
function unusedSchemes({ components = {} }: Contract["document"], { schemes }: Contract["security"]): string[] {
  const { securitySchemes = {} } = components as { securitySchemes?: object };
  return Object.keys(securitySchemes).filter((name) => !schemes.has(name));
}

/** Returns what was done, and what is the team's to do next. */
export function summaryText(
  names: Names,
  { document, entries, security, broken }: Contract,
  { unmet, failures, exceptions, statistics }: Adopted,
): string {
  const kinds = new Set(Array.from(security.schemes.values(), verifierOf));
  const next = [
    `${PNPM} start         runs the service; each of the ${counted(entries.length, "operation")} is a stub and responds with 501`,
    `${PNPM} test          runs every check and test`,
    `${PNPM} mock          serves the contract from its examples`,
    `${PNPM} dev           runs the service and reports after each save: replace stub() in apps/server/src/resources`,
  ];
  const unused = unusedSchemes(document, security);
  const own = [
    ...(unused.length > 0 && security.schemes.size === 0
      ? [
          `Require the security schemes (${unused.join(", ")}) in openapi/openapi.yaml; until then everyone may send each request.`,
        ]
      : []),
    ...(broken.length > 0
      ? [
          `Correct the schemas of ${counted(broken.length, "operation")}, which ${PNPM} contract check lists; until then each responds with 500: ${shortList(broken)}.`,
        ]
      : []),
    ...(kinds.has("token") ? ["Set TOKEN_ISSUER and TOKEN_AUDIENCE; until then no token is valid."] : []),
    ...(kinds.has("basic")
      ? ["Write verifyPassword in apps/server/src/security.ts; until then each password gets 401."]
      : []),
    ...(kinds.has("none")
      ? ["Some security schemes cannot be validated yet and get 401: see apps/server/src/security.ts."]
      : []),
    "Read README.md and CONTRIBUTING.md, and make them yours. Choose a licence: LICENSE is that of the platform.",
    'Commit: git commit --message "Adopt the contract". To undo everything: git reset --hard',
  ];
  const rules = unmet.map(({ rule, places }) => `  ${String(places).padStart(6)}  ${rule}`);
  return [
    "",
    `${statistics.trim()}; all are staged: git diff --cached --stat`,
    "",
    unmet.length === 0
      ? "The contract meets every house rule."
      : `House rules to take up, now warnings in openapi/redocly.yaml, with the places that break them:\n${rules.join("\n")}`,
    ...(exceptions.length === 0
      ? []
      : [
          "",
          "Operations that the client leaves out or names otherwise (packages/client/fetch-operations.config.json):",
          ...exceptions.map(({ reason }) => `  ${reason}`),
        ]),
    ...(failures.length === 0 ? [] : ["", "These steps failed:", ...failures]),
    "",
    `This is now the repository of ${names.name}. Next:`,
    ...next.map((line) => `  ${line}`),
    "",
    "Yours to do:",
    ...own.map((line) => `  ${line}`),
  ].join("\n");
}

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function shortList(items: string[]): string {
  return items.length > 8 ? `${items.slice(0, 8).join(", ")} and ${items.length - 8} more` : items.join(", ");
}
