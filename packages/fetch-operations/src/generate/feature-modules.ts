import { STATUS_CODES } from "node:http";
import { fingerprints, hashOf } from "../contract/fingerprint.ts";
import { cursorOf, hasCursor, isMutation, isQuery } from "../queries.ts";
import type { Config } from "./config.ts";
import type { Contract } from "./contract-source.ts";
import type { StatusKey } from "../operation.ts";
import type { ClientOperation } from "./operations.ts";
import { capitalized, codeOf, comment } from "./code.ts";
import { declared } from "./operation-types.ts";

/** Returns the modules of the contract check: the version and hash, and the check with a digest of each operation. */
export async function contractModules(
  { document }: Contract,
  operations: ClientOperation[],
  path: string,
): Promise<Record<string, string>> {
  const hash = await hashOf(document);
  const all = await fingerprints(document);
  const own = Object.fromEntries(operations.map(({ id }) => [id, all[id]]));
  return {
    "contract.ts": `import type { Contract } from "fetch-operations/contract-check";

/** The contract that the client was generated from. */
export const contract: Contract = {
  version: ${JSON.stringify(document.info?.version ?? "")},
  hash: ${JSON.stringify(hash)},
};
`,
    "contract-check.ts": `import type { CallOptions, Connection } from "fetch-operations";
import { checkContract as check, type ContractCheck } from "fetch-operations/contract-check";
import { contract } from "./contract.ts";

export type { Contract, ContractCheck } from "fetch-operations/contract-check";

/** A digest of each operation, by its operationId. */
const operationFingerprints = ${codeOf(own)};

/**
 * Fetches the contract that the service publishes, without credentials, and compares it with the client's, except \`servers\`.
 * Rejects with the client's error if it cannot be read.
 */
export async function checkContract(connection: Connection, options?: CallOptions): Promise<ContractCheck> {
  return check(connection, contract, operationFingerprints, ${JSON.stringify(path)}, options);
}
`,
  };
}

/** Returns the modules of the fake service: the document, and the types of its mocks. */
export function testingModules(
  { document }: Contract,
  operations: ClientOperation[],
  { name, int64, dates, publishedContract }: Config,
): Record<string, string> {
  const options = Object.entries({ int64, dates, publishedContract })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const requests = operations.map((operation) => {
    const type = declared(operation);
    const body = operation.body?.media.find(({ kind }) => kind === "json");
    const json = `NonNullable<${type}["requestBody"]>["content"][${JSON.stringify(body?.type)}]`;
    const value = operation.body === undefined ? "undefined" : body === undefined ? "unknown" : json;
    return `  ${operation.name}: { path: In<${type}, "path">; query: In<${type}, "query">; body: ${value} };\n`;
  });
  return {
    "document.ts": `import type { ContractDocument } from "fetch-operations/testing";

/** The contract. */
export const document: ContractDocument = ${codeOf(document, "", false, 1_000)}; // long lines, because programs alone read it
`,
    "testing.ts": `${requests.length > 0 ? 'import type { In } from "fetch-operations";\n' : ""}import { createFake, type Fake, type FakeRequestOf, type MockAnswersOf, type MockOf } from "fetch-operations/testing";
import type { OperationId, Results } from "./calls.ts";
import { document } from "./document.ts";
import { operations } from "./operations.ts";
${requests.length > 0 ? 'import type { paths } from "./schema.ts";\n' : ""}
/** The requests of each operation. */
interface Requests {
${requests.join("")}}

interface Types {
  results: Results;
  requests: { [Id in OperationId]: Requests[Id] };
}

/** An interface and not an alias: the compiler then infers literal types in the return values of mock functions. */
interface MockAnswers extends MockAnswersOf<Types> {}

/** A mocked response, or a function that returns one for a request. If the function throws, \`fetch\` throws the same error. */
export type Mock<Id extends OperationId> = MockOf<Types, Id>;

/**
 * A response with a status that the contract declares. The default body is the contract's example of that status, or else
 * a valid value of its schema. Missing required headers are added in the same way.
 */
export type MockAnswer<Id extends OperationId> = MockAnswers[Id];

/** A request that satisfies the contract, with its parameters by name and parsed. */
export type FakeRequest<Id extends OperationId = OperationId> = FakeRequestOf<Types, Id>;

/** A service in memory that validates requests and mocked responses against the contract. */
export interface Fake${name} extends Fake<Types> {}

/** Creates a fake service. Pass its \`fetch\` to \`create${name}\`. */
export function createFake${name}(): Fake${name} {
  return createFake<Types>(document, operations${options.length === 0 ? "" : `, { ${options.join(", ")} }`});
}

export { ContractViolation } from "fetch-operations/testing";
`,
  };
}

/** Returns the module with a class for each error status and range of statuses that operations declare, if there are any. */
export function errorsModule(operations: ClientOperation[], { name }: Config): string {
  const declaredKeys = new Set(operations.flatMap(({ responses }) => responses.map(({ key }) => key)));
  const keys = [...declaredKeys].filter((key) => key === "4XX" || key === "5XX" || Number(key) >= 400);
  if (keys.length === 0) return "export {};\n";
  const classes = keys
    .toSorted((one, other) => String(one).localeCompare(String(other)))
    .map((key) => {
      const type = `${name}${phraseOf(key)}`;
      const status = typeof key === "number" ? key : `StatusOf<${key[0]}>`;
      const subject = typeof key === "number" ? `the status ${key}` : `a status of ${key}`;
      return `/** An error with ${subject} and a body that the contract declares. */
export type ${type} = ${name}Error & DeclaredError<Results[OperationId], ${status}>;
export const ${type}: ErrorClass<${type}> = /* @__PURE__ */ errorOfStatus(${name}Error, ${JSON.stringify(key)});
`;
    });
  const isRanged = keys.some((key) => typeof key === "string");
  return `import { type DeclaredError, type ErrorClass, errorOfStatus${isRanged ? ", type StatusOf" : ""} } from "fetch-operations";
import { ${name}Error } from "./api.ts";
import type { OperationId, Results } from "./calls.ts";

${classes.join("\n")}`;
}

/** The reason phrases of statuses. Node has older ones than RFC 9110 (section 15) for 413 and 422. */
const PHRASES: Partial<Record<string, string>> = {
  ...STATUS_CODES,
  413: "Content Too Large",
  422: "Unprocessable Content",
  "4XX": "Client Error",
  "5XX": "Server Error",
};

/** Returns the reason phrase of an error status as a name that ends with `Error`. A status without a phrase has its number. */
function phraseOf(key: StatusKey): string {
  const words = (PHRASES[key] ?? String(key)).replaceAll("'", "").split(/\W+/).map(capitalized);
  return `${words.join("").replace(/Error$/, "")}Error`;
}

/** The comments of a module of queries, and the inputs of its queries. */
const QUERIES = {
  "react-query": {
    query: "Options for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and the like.",
    infiniteQuery: "Options for `useInfiniteQuery`, `useSuspenseInfiniteQuery` and the like.",
    mutation: "Options for `useMutation`.",
    kinds: ["query options", "infinite query options", "mutation options"],
    queries: `The query's signal aborts the request. TanStack Query does not retry, because
 * the client does. Keys begin with \`name\`: two services in one \`QueryClient\` need different names.`,
    infiniteQueries: "signal, retries",
    mutations: " TanStack Query does not retry.",
    falsy: "",
  },
  swr: {
    query: "The arguments of `useSWR`. `mutate` takes the first of them, and `preload` the first two.",
    infiniteQuery: "The arguments of `useSWRInfinite`. `unstable_serialize` makes a key for `mutate` of the first one.",
    mutation: "The arguments of `useSWRMutation`.",
    kinds: ["the arguments of `useSWR`", "the arguments of `useSWRInfinite`", "the arguments of `useSWRMutation`"],
    queries: `A falsy input sends no request. SWR does not retry,
 * because the client does. Keys begin with \`name\`: two services in one cache need different names.`,
    infiniteQueries: "falsy inputs, retries",
    mutations: "",
    falsy: " | Falsy",
  },
};

/** Returns the module of the queries and mutations for TanStack Query or SWR. */
export function queriesModule(operations: ClientOperation[], { name }: Config, library: keyof typeof QUERIES): string {
  const texts = QUERIES[library];
  const [query, infiniteQuery, mutation] = texts.kinds;
  const key = name.charAt(0).toLowerCase() + name.slice(1);
  const read = operations.filter(isQuery);
  const paged = operations.filter(hasCursor);
  const written = operations.filter(isMutation);
  const inputs = operations.map(({ typeName }) => `${typeName}Input`);
  const hasFalsy = texts.falsy !== "" && read.length + paged.length > 0;
  const types = [...(hasFalsy ? ["Falsy"] : []), "InfiniteQueryOf", "ListPageOf", "MutationOf", "QueryOf"];
  return `import { infiniteQueriesOf, mutationsOf, queriesOf } from "fetch-operations/${library}";
import type { ${types.join(", ")} } from "fetch-operations/${library}";
import type { ${name}Error } from "./api.ts";
import type { Data, OperationId, ${inputs.join(", ")} } from "./calls.ts";
import type { ${name} } from "./client.ts";
import { operations } from "./operations.ts";

export type { Key } from "fetch-operations/${library}";

/** ${texts.query} */
export type Query<Id extends OperationId> = QueryOf<Data<Id>, ${name}Error>;

/** ${texts.infiniteQuery} */
export type InfiniteQuery<Id extends OperationId> = InfiniteQueryOf<Data<Id>, ${name}Error>;

/** ${texts.mutation} */
export type Mutation<Id extends OperationId, Input> = MutationOf<Data<Id>, ${name}Error, Input>;

/** One page of a list. */
export type ListPage<Id extends OperationId> = ListPageOf<Data<Id>>;

/** Returns ${query} for each operation. */
export interface Queries {
${read.map((operation) => queryMember(operation, "Query", `${operation.typeName}Input${texts.falsy}`)).join("")}}

/** Returns ${infiniteQuery} for each operation. */
export interface InfiniteQueries {
${paged.map((operation) => queryMember(operation, "InfiniteQuery", `Omit<${operation.typeName}Input, ${JSON.stringify(cursorOf(operation))}>${texts.falsy}`)).join("")}}

/** Returns ${mutation} for each operation. */
export interface Mutations {
${written.map(mutationMember).join("")}}

/**
 * Returns ${query} for each \`GET\` operation. ${texts.queries}
 */
export function ${key}Queries(client: ${name}, name = ${JSON.stringify(key)}): Queries {
  return queriesOf(operations, client, name) as Queries;
}

/** Returns ${infiniteQuery} for each operation with pages, with ${texts.infiniteQueries} and \`name\` as in \`${key}Queries\`. */
export function ${key}InfiniteQueries(client: ${name}, name = ${JSON.stringify(key)}): InfiniteQueries {
  return infiniteQueriesOf(operations, client, name) as InfiniteQueries;
}

/** Returns ${mutation} for each operation that is not a \`GET\`.${texts.mutations} Keys begin with \`name\`. */
export function ${key}Mutations(client: ${name}, name = ${JSON.stringify(key)}): Mutations {
  return mutationsOf(operations, client, name) as Mutations;
}
`;
}

function queryMember({ name, isInputRequired, documentation }: ClientOperation, type: string, input: string): string {
  const argument = `input${isInputRequired ? "" : "?"}: ${input}`;
  return `${comment(documentation, "  ")}  ${name}: (${argument}) => ${type}<"${name}">;\n`;
}

function mutationMember({ name, typeName, isInputRequired, documentation }: ClientOperation): string {
  const variables = isInputRequired ? `${typeName}Input` : `${typeName}Input | void`;
  return `${comment(documentation, "  ")}  ${name}: () => Mutation<"${name}", ${variables}>;\n`;
}
