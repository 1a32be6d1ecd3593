import { fingerprints, hashOf } from "../contract/fingerprint.ts";
import type { Config } from "./config.ts";
import type { Contract } from "./contract-source.ts";
import type { ClientOperation } from "./operations.ts";
import { codeOf, comment } from "./code.ts";
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
    "testing.ts": `import type { In } from "fetch-operations";
import { createFake, type Fake, type FakeRequestOf, type MockAnswersOf, type MockOf } from "fetch-operations/testing";
import type { OperationId, Results } from "./calls.ts";
import { document } from "./document.ts";
import { operations } from "./operations.ts";
import type { paths } from "./schema.ts";

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
 * A response with a status that the contract declares. The default body is the contract's example of that status. Missing
 * required headers are added with the contract's examples.
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

export function queriesModule(operations: ClientOperation[], { name }: Config): string {
  const key = name.charAt(0).toLowerCase() + name.slice(1);
  const read = operations.filter(({ method }) => method === "GET");
  const paged = operations.filter(({ pages }) => pages?.by === "link" && pages.cursor !== undefined);
  const written = operations.filter(({ method }) => method !== "GET");
  const inputs = operations.map(({ typeName }) => `${typeName}Input`);
  return `import { infiniteQueriesOf, mutationsOf, queriesOf } from "fetch-operations/react-query";
import type { InfiniteQueryOf, ListPageOf, MutationOf, QueryOf } from "fetch-operations/react-query";
import type { ${name}Error } from "./api.ts";
import type { Data, OperationId, ${inputs.join(", ")} } from "./calls.ts";
import type { ${name} } from "./client.ts";
import { operations } from "./operations.ts";

export type { Key } from "fetch-operations/react-query";

/** Options for \`useQuery\`, \`useSuspenseQuery\`, \`prefetchQuery\` and the like. */
export type Query<Id extends OperationId> = QueryOf<Data<Id>, ${name}Error>;

/** Options for \`useInfiniteQuery\`, \`useSuspenseInfiniteQuery\` and the like. */
export type InfiniteQuery<Id extends OperationId> = InfiniteQueryOf<Data<Id>, ${name}Error>;

/** Options for \`useMutation\`. */
export type Mutation<Id extends OperationId, Input> = MutationOf<Data<Id>, ${name}Error, Input>;

/** One page of a list. */
export type ListPage<Id extends OperationId> = ListPageOf<Data<Id>>;

/** Returns query options for each operation. */
export interface Queries {
${read.map((operation) => query(operation, "Query", `${operation.typeName}Input`)).join("")}}

/** Returns infinite query options for each operation. */
export interface InfiniteQueries {
${paged.map((operation) => query(operation, "InfiniteQuery", `Omit<${operation.typeName}Input, ${JSON.stringify((operation.pages as { cursor: string }).cursor)}>`)).join("")}}

/** Returns mutation options for each operation. */
export interface Mutations {
${written.map(mutation).join("")}}

/**
 * Returns query options for each \`GET\` operation. The query's signal aborts the request. TanStack Query does not retry, because
 * the client does. Keys begin with \`name\`: two services in one \`QueryClient\` need different names.
 */
export function ${key}Queries(client: ${name}, name = ${JSON.stringify(key)}): Queries {
  return queriesOf(operations, client, name) as Queries;
}

/** Returns infinite query options for each operation with pages, with signal, retries and \`name\` as in \`${key}Queries\`. */
export function ${key}InfiniteQueries(client: ${name}, name = ${JSON.stringify(key)}): InfiniteQueries {
  return infiniteQueriesOf(operations, client, name) as InfiniteQueries;
}

/** Returns mutation options for each operation that is not a \`GET\`. TanStack Query does not retry. Keys begin with \`name\`. */
export function ${key}Mutations(client: ${name}, name = ${JSON.stringify(key)}): Mutations {
  return mutationsOf(operations, client, name) as Mutations;
}
`;
}

function query({ name, isInputRequired, documentation }: ClientOperation, type: string, input: string): string {
  const argument = `input${isInputRequired ? "" : "?"}: ${input}`;
  return `${comment(documentation, "  ")}  ${name}: (${argument}) => ${type}<"${name}">;\n`;
}

function mutation({ name, typeName, isInputRequired, documentation }: ClientOperation): string {
  const variables = isInputRequired ? `${typeName}Input` : `${typeName}Input | void`;
  return `${comment(documentation, "  ")}  ${name}: () => Mutation<"${name}", ${variables}>;\n`;
}
