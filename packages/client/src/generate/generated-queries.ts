import type { Described } from "./described-operations.ts";
import { comment } from "./jsdoc.ts";

/** Returns the types of each operation for TanStack Query. */
export function queries(operations: Described[]): string {
  const isRead = ({ entry: { method } }: Described) => method === "GET";
  const [read, paged] = [operations.filter(isRead), operations.filter(({ entry }) => entry.isPaged)];
  const written = operations.filter((operation) => !isRead(operation));
  const types = operations.map(({ inputType }) => inputType).join(", ");
  const used = [paged.length > 0 && "InfiniteQuery", written.length > 0 && "Mutation", read.length > 0 && "Query"];
  return `import type { ${used.filter(Boolean).join(", ")} } from "../react-query/options.ts";
import type { ${types} } from "./calls.ts";

/** Returns query options for each operation. */
export interface Queries {
${read.map((operation) => query(operation, "Query", operation.inputType)).join("")}}

/** Returns infinite query options for each operation. */
export interface InfiniteQueries {
${paged.map((operation) => query(operation, "InfiniteQuery", `Omit<${operation.inputType}, "cursor">`)).join("")}}

/** Returns mutation options for each operation. */
export interface Mutations {
${written.map(mutation).join("")}}
`;
}

function query({ entry: { id }, isInputRequired, documentation }: Described, type: string, input: string): string {
  const argument = `input${isInputRequired ? "" : "?"}: ${input}`;
  return `${comment(documentation, "  ")}  ${id}: (${argument}) => ${type}<"${id}">;\n`;
}

function mutation({ entry: { id }, inputType, isInputRequired, documentation }: Described): string {
  const variables = isInputRequired ? inputType : `${inputType} | void`;
  return `${comment(documentation, "  ")}  ${id}: () => Mutation<"${id}", ${variables}>;\n`;
}
