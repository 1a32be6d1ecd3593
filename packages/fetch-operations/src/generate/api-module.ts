import { type OpenApiDocument, resolve } from "openapi-document";
import type { Contract } from "./contract-source.ts";
import { Code, codeOf, comment } from "./code.ts";
import type { Config } from "./config.ts";
import type { ClientOperation } from "./operations.ts";
import { schemesOf } from "./security.ts";

const SERVERS = [
  "The URLs for operations with a server of their own, by the URL of that server in the contract. Their calls go there, with",
  "their credentials. Without an entry, they go to `baseUrl`.",
];

/** Returns the module with the error class, the options and the shared parts of the contract. */
export function apiModule(
  { document }: Contract,
  config: Config,
  requirements: string[][],
  operationCodes: string[],
  operations: ClientOperation[],
): string {
  const { name, security = {}, error, requestIdHeader = "X-Request-Id" } = config;
  const schemes = schemesOf(document);
  const unknown = Object.keys(security).find((scheme) => !schemes.has(scheme));
  if (unknown !== undefined)
    throw new TypeError(`The configuration names the security scheme "${unknown}", which the contract does not have.`);
  const optionOf = (scheme: string) => (Object.hasOwn(security, scheme) ? security[scheme] : undefined);
  const imports = new Set<string>();
  const written = Array.from(schemes, ([scheme, { import: imported, arguments: given }]) => {
    imports.add(imported);
    const option = optionOf(scheme);
    const text = [...given, ...(option === undefined ? [] : [option])]
      .map((argument) => JSON.stringify(argument))
      .join(", ");
    return [scheme, new Code(`${imported}(${text})`)];
  });
  const fields = [error?.code ?? "code", error?.message ?? "message"].map((field) => JSON.stringify(field));
  imports.add(error ? "errorFields" : "anyError");
  const errors = error ? `errorFields(${fields.join(", ")})` : "anyError";
  const transient = error?.transient && { transientCodes: error.transient };
  const servers = [...new Set(operations.flatMap(({ server }) => server ?? []))];
  const api = {
    name,
    version: config.version ?? document.info?.version ?? "0",
    error: new Code(`${name}Error as never`),
    schemes: Object.fromEntries(written) as object,
    security: requirements,
    ...(servers.length > 0 && { servers }),
    requestIdHeader,
    errors: new Code(errors),
    ...transient,
  };
  const codes = [...operationCodes.map((code) => JSON.stringify(code)), "FailureCode", "(string & {})"].join("\n  | ");
  const own = Array.from(schemes.keys(), (scheme) => (optionOf(scheme) === undefined ? scheme : [])).flat();
  const targets = servers.length > 0 ? "to `baseUrl` and `servers` only" : "to the origin of `baseUrl` only";
  const required = Object.values(security).map(
    (option) => `  /** The credential, sent ${targets}. */\n  ${option}: Credential;\n`,
  );
  const credentials =
    own.length === 0
      ? ""
      : `  /** The credentials by security scheme, sent ${targets}. */\n  credentials?: { ${own.map((scheme) => `${JSON.stringify(scheme)}?: Credential | undefined`).join("; ")} } | undefined;\n`;
  const named =
    servers.length === 0
      ? ""
      : `${comment(SERVERS, "  ")}  servers?: { ${servers.map((url) => `${JSON.stringify(url)}?: string | URL`).join("; ")} } | undefined;\n`;
  const runtime = [
    "type Api",
    "type ClientOptions",
    ...(schemes.size > 0 ? ["type Credential"] : []),
    "type FailureCode",
    "OperationError",
    ...imports,
  ];
  return `import { ${runtime.join(", ")} } from "fetch-operations";

/** The codes of errors: those of the contract and those of the client. A service may add codes. */
export type ErrorCode =
  | ${codes};

/** The error of a failed call, thrown by \`orThrow()\` and by iterations over pages. It never contains a credential. */
export class ${name}Error extends OperationError<ErrorCode> {}

/** The address of the service, its credentials and the settings of all calls. */
export interface ${name}Options extends Omit<ClientOptions, "credentials" | "servers"> {
${named}${required.join("")}${credentials}}

/** The parts of the contract that all operations share. */
export const api: Api = ${codeOf(api)};
`;
}

/** Returns the codes that the contract names: in the schema of its error, and in the examples of its error responses. */
export function errorCodes(document: OpenApiDocument, { error }: Config): string[] {
  if (error === undefined) return [];
  const field = error.code ?? "code";
  const components = (document.components ?? {}) as { schemas?: Record<string, object>; responses?: object };
  const schema = resolve<{ required?: string[]; properties?: Record<string, { enum?: unknown[] }> }>(
    document,
    components.schemas?.[error.schema] ?? {},
  );
  if (components.schemas?.[error.schema] === undefined)
    throw new TypeError(
      `The configuration names the error schema "${error.schema}", which the contract does not have.`,
    );
  const codes = new Set<unknown>(schema.properties?.[field]?.enum);
  const visit = (node: unknown, isExample: boolean): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, child] of Object.entries(node) as [string, unknown][]) {
      const value =
        (isExample && key === "value") || key === "example" ? (child as Record<string, unknown> | null) : undefined;
      if (value && [field, ...(schema.required ?? [])].every((name) => Object.hasOwn(Object(value) as object, name)))
        codes.add(value[field]);
      visit(child, isExample || key === "examples" || key === "example");
    }
  };
  visit(document.paths, false);
  visit(components.responses, false);
  return [...codes].filter((code) => typeof code === "string").toSorted();
}
