import { readFile } from "node:fs/promises";
import { documentForTypes } from "openapi-document/openapi-typescript";
import { apiModule, errorCodes } from "./api-module.ts";
import { codeOf, withEscapes, wordsOf } from "./code.ts";
import type { Config } from "./config.ts";
import { type Contract, missingDependency } from "./contract-source.ts";
import { type ClientOperation, clientOperations } from "./operations.ts";
import { sharedSecurity } from "./security.ts";
import { withItemsAsSchemas } from "./item-schemas.ts";
import { contractModules, errorsModule, queriesModule, testingModules } from "./feature-modules.ts";
import { type ContractShapes, shapesOf } from "../contract/shapes.ts";
import { enumsModule } from "./enums-module.ts";
import { namesModule, typeNames } from "./names-module.ts";
import { validatorModule } from "./validator-schemas.ts";
import { webhooksModule } from "./webhooks-module.ts";
import { serversModule } from "./servers-module.ts";
import { localTypeName, operationConstants } from "./operation-constants.ts";
import { inputType, itemType, resultType, signature } from "./operation-types.ts";

const BANNER = "// Generated from the contract by fetch-operations. Do not edit.\n";

/** The names of the client's own members, modules and types, which no operation can have. */
const RESERVED = new Set(
  "GET PUT POST DELETE OPTIONS HEAD PATCH TRACE request use eject paginate raw then contract checkContract operations shapes CallOptions DataOf ItemOf Operation PagedOperation".split(
    " ",
  ),
);

/** Returns the text of each generated file, by name. Throws a `Refusal` for an operation that the client cannot call. */
export async function generatedFiles(contract: Contract, config: Config): Promise<Record<string, string>> {
  const { placeOf } = contract;
  const document = documentForTypes(withItemsAsSchemas(contract.document));
  const operations = clientOperations(document, config, placeOf);
  const methods = new Set(operations.map(({ method }) => method));
  for (const { id, name } of operations) {
    if (RESERVED.has(name) || methods.has(name))
      throw new TypeError(
        `${id} cannot have the name ${name}, because the client uses this name. Rename the operation, or set another name in the configuration.`,
      );
  }
  const types =
    config.types === undefined ? `\n${await writeTypes(document, config)}` : await readFile(config.types, "utf8");
  const shared = sharedSecurity(operations);
  const shapes = shapesOf(document, config);
  const hasShapes = Object.keys(shapes.named).length > 0;
  const constants = operationConstants(operations, shared, shapes, config);
  const names = typeNames(config.types === undefined ? document : contract.document, config, operations);
  const webhooks = webhooksModule(document, shapes, config);
  const published = config.publishedContract ?? "../openapi.json";
  const features = new Set(config.features);
  const modules: Record<string, string> = {
    "schema.ts": types,
    "names.ts": namesModule(names),
    "api.ts": apiModule(contract, config, shared, errorCodes(document, config), operations),
    "operations.ts": operationsModule(operations, constants, hasShapes),
    "calls.ts": calls(operations, shapes, config),
    "client.ts": clientModule(config, operations),
    "servers.ts": serversModule(document),
    "index.ts": indexModule(config, webhooks !== undefined),
    ...(webhooks !== undefined && { "webhooks.ts": webhooks }),
    ...(hasShapes && { "shapes.ts": shapesModule(shapes) }),
    ...(features.has("contract-check") && (await contractModules(contract, operations, published))),
    ...(features.has("testing") && testingModules(contract, operations, config)),
    ...(features.has("react-query") && { "queries.ts": queriesModule(operations, config, "react-query") }),
    ...(features.has("swr") && { "swr.ts": queriesModule(operations, config, "swr") }),
    ...(features.has("enums") && { "enums.ts": enumsModule(contract.document, names, shapes) }),
    ...(features.has("errors") && { "errors.ts": errorsModule(operations, config) }),
  };
  for (const library of ["zod", "valibot"] as const)
    if (features.has(library)) modules[`${library}.ts`] = await validatorModule(document, names, library, config);
  const extension = config.importExtension ?? ".js";
  const withExtension = (text: string) =>
    text.replaceAll(/( from |import\()"(\.\/[a-z-]+)\.ts"/g, `$1"$2${extension}"`);
  const files = Object.entries(modules).map(([name, text]) => {
    const isGiven = name === "schema.ts" && config.types !== undefined;
    return [name, withEscapes(withExtension(isGiven ? text : BANNER + text))];
  });
  return Object.fromEntries(files) as Record<string, string>;
}

async function writeTypes(document: object, config: Config): Promise<string> {
  const { typesOf } = await import("./contract-types.ts").catch(missingDependency);
  return typesOf(document, config);
}

function shapesModule({ named }: ContractShapes): string {
  return `import type { Shapes } from "fetch-operations";

/** The places of 64-bit integers and dates in the schemas of the contract. */
export const shapes: Shapes = ${codeOf(named)};
`;
}

function operationsModule(
  operations: ClientOperation[],
  { code, imports }: { code: string; imports: Set<string> },
  hasShapes: boolean,
): string {
  if (operations.length === 0) return "/** The contract has no operation. */\nexport const operations = {};\n";
  const words = wordsOf(code);
  const used = (name: string) => new RegExp(`\\b${name}\\b`).test(words);
  const runtime = [
    "type CallOptions",
    ...(used("DataOf") ? ["type DataOf"] : []),
    ...(used("ItemOf") ? ["type ItemOf"] : []),
    "type Operation",
    ...(used("PagedOperation") ? ["type PagedOperation"] : []),
    ...[...imports].toSorted(),
  ];
  const constants = new Set(operations.map(({ name }) => name));
  const types = operations.flatMap((operation) => {
    const local = localTypeName(operation, constants);
    return ["Input", "Result"].map((kind) => {
      const type = `${operation.typeName}${kind}`;
      return local === operation.typeName ? type : `${type} as ${local}${kind}`;
    });
  });
  const all = `/** Every operation of the contract, by name. */\nexport const operations = { ${operations.map(({ name }) => name).join(", ")} };\n`;
  return `import { ${runtime.join(", ")} } from "fetch-operations";
import type { ${types.join(", ")} } from "./calls.ts";${hasShapes && used("shapes") ? '\nimport { shapes } from "./shapes.ts";' : ""}

${code}
${all}`;
}

function calls(operations: ClientOperation[], shapes: ContractShapes, { name }: Config): string {
  const paged = operations.filter(({ pages }) => pages);
  const types = operations.flatMap((operation) => [inputType(operation), resultType(operation, shapes)]).join("\n");
  const body = `${types}
/** A method for each operation. */
export interface ByOperation {
${operations.map((operation) => signature(operation, `CallOf<${operation.typeName}Result>`)).join("")}}

/** The operations with pages. */
export interface ByPage {
${paged.map((operation) => signature(operation, `ItemsOf<${operation.typeName}Result, ${itemType(operation)}>`)).join("")}}

/** The operations, with the response of a success in place of its data. Its body can still be read. */
export interface Raw {
${operations.map((operation) => signature({ ...operation, documentation: [] }, "Promise<Response>")).join("")}}

/** The results of each operation. */
export interface Results {
${operations.map(({ name: own, typeName }) => `  ${own}: ${typeName}Result;\n`).join("")}}

/** The items of each operation with pages. */
export interface PageItems {
${paged.map((operation) => `  ${operation.name}: ${itemType(operation)};\n`).join("")}}

/** The names of the operations. */
export type OperationId = keyof Results;

/** The result of a call, a union to branch on by \`ok\` or \`status\`. Status 0 is a \`Failure\`. */
export type Result<Id extends OperationId> = Results[Id];

/** The type of an operation's \`data\`. */
export type Data<Id extends OperationId> = DataOf<Results[Id]>;

/** A promise of a \`Result\`, with \`orThrow()\`, which resolves to the data or rejects with a \`${name}Error\`. */
export type Call<Id extends OperationId> = CallOf<Results[Id]>;

/** The items of a list, over all pages. */
export type Items<Id extends keyof ByPage> = ItemsOf<Results[Id], PageItems[Id]>;

/** One page of a list. */
export type Page<Id extends keyof ByPage> = PageOf<Results[Id], PageItems[Id]>;
`;
  const code = wordsOf(body);
  const used = (type: string) => new RegExp(`\\b${type}\\b(?!\\??:)`).test(code);
  const runtime = [
    "BinaryBody",
    "CallOptions",
    "DataOf",
    "EmptyError",
    "ErrorResponse",
    "ErrorStatus",
    "EventStream",
    "Failure",
    "Fields",
    "In",
    "ItemOf",
    "Multipart",
    "ResponseStatus",
    "StatusOf",
    "Success",
    "SuccessOfType",
    "Unconverted",
    "UndeclaredError",
  ].filter(used);
  return `import type { Call as CallOf, Items as ItemsOf, Page as PageOf } from "fetch-operations";
import type { ${runtime.join(", ")} } from "fetch-operations";
${used("paths") ? 'import type { paths } from "./schema.ts";\n' : ""}
${body}`;
}

const FOLLOWERS = { link: "followLink", cursor: "followCursor", offset: "followOffset", page: "followNumber" };

function clientModule({ name, features = [] }: Config, operations: ClientOperation[]): string {
  const isChecked = features.includes("contract-check");
  const kinds = [...new Set(operations.flatMap(({ pages }) => pages?.by ?? []))].toSorted();
  const runtime = [
    ...(isChecked ? ["type CallOptions"] : []),
    "createClient",
    ...kinds.map((by) => FOLLOWERS[by]),
    "type PathClient",
  ];
  const imports = `import { ${runtime.join(", ")} } from "fetch-operations";
${isChecked ? 'import type { Contract, ContractCheck } from "fetch-operations/contract-check";\n' : ""}`;
  const args = ["api", "operations", "options"];
  if (kinds.length > 0) args.push(`{ ${kinds.map((by) => `${by}: ${FOLLOWERS[by]}`).join(", ")} }`);
  const members = isChecked
    ? `
  /** The contract that this client was generated from. */
  contract: Contract;
  /**
   * Compares the client's contract with the contract that the service publishes, without sending credentials. Needs
   * \`crypto.subtle\`, which browsers have on HTTPS pages. Rejects with a \`${name}Error\` if the document cannot be read.
   */
  checkContract: (options?: CallOptions) => Promise<ContractCheck>;`
    : "";
  const created = isChecked
    ? `const { client, connection } = createClient(${args.join(", ")});
  // Loaded on demand, because few programs need it.
  const checkContract = async (callOptions?: CallOptions) =>
    (await import("./contract-check.ts")).checkContract(connection, callOptions);
  return { ...client, contract, checkContract } as ${name};`
    : `return createClient(${args.join(", ")}).client as ${name};`;
  return `${imports}import { api, type ${name}Options } from "./api.ts";
import type { ByOperation, ByPage, Raw } from "./calls.ts";
${isChecked ? 'import { contract } from "./contract.ts";\n' : ""}import { operations } from "./operations.ts";
import type { paths } from "./schema.ts";

/** openapi-fetch's client, with a method for each operation. */
export interface ${name} extends ByOperation, PathClient<paths> {
  /** The lists of the service, to read item by item or page by page. */
  paginate: ByPage;
  /** Calls that resolve to the response of a success, with its body unread. They reject as \`orThrow()\` does. */
  raw: Raw;${members}
}

/** Creates a client. Throws a TypeError for an invalid option. */
export function create${name}(options: ${name}Options): ${name} {
  ${created}
}
`;
}

function indexModule({ name }: Config, hasWebhooks: boolean): string {
  return `export { ${name}Error, type ${name}Options, type ErrorCode } from "./api.ts";
export type * from "./calls.ts";
export { create${name}, type ${name} } from "./client.ts";
export type * from "./names.ts";
export { servers } from "./servers.ts";
export type { components, operations, paths } from "./schema.ts";
${hasWebhooks ? 'export type { WebhookPayloads } from "./webhooks.ts";\n' : ""}`;
}
