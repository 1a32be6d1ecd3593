import { operations } from "../generated/operations.ts";
import type { InfiniteQueries, Mutations, Queries } from "../generated/queries.ts";
import { linkTo } from "../link.ts";
import type { Operation, OperationId } from "../operation.ts";
import type { Petstore } from "../petstore.ts";
import type { ListPage } from "./options.ts";

/** Any operation of the client; the types of each are generated. */
type AnyCall = (input: unknown, options?: { signal: AbortSignal }) => ReturnType<Petstore[OperationId]>;

const table: Operation<OperationId>[] = operations;

/**
 * The options of a query for each operation that reads: cancelled by the query's signal, never retried by TanStack Query,
 * as the client does that. Two petstores in one `QueryClient` need two names, with which their keys begin.
 */
export function petstoreQueries(petstore: Petstore, name = "petstore"): Queries {
  const queries = table
    .filter(({ method }) => method === "GET")
    .map(({ id }) => {
      const call = petstore[id] as AnyCall;
      const query = (input: object = {}) => ({
        queryKey: [name, id, input],
        queryFn: ({ signal }: { signal: AbortSignal }) => call(input, { signal }).orThrow(),
        retry: false,
      });
      return [id, query];
    });
  return Object.fromEntries(queries) as Queries;
}

/** The same for each operation that answers page by page, as an infinite query. */
export function petstoreInfiniteQueries(petstore: Petstore, name = "petstore"): InfiniteQueries {
  const queries = table
    .filter(({ isPaged }) => isPaged)
    .map(({ id }) => {
      const call = petstore[id] as AnyCall;
      const query = (input: object = {}) => ({
        queryKey: [name, id, input, "pages"],
        queryFn: async ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) => {
          const called = call({ ...input, cursor: pageParam }, { signal });
          const items = await called.orThrow();
          return { items, next: cursorIn((await called).response?.headers) };
        },
        initialPageParam: undefined,
        getNextPageParam: ({ next }: ListPage<OperationId>) => next,
        retry: false,
      });
      return [id, query];
    });
  return Object.fromEntries(queries) as InfiniteQueries;
}

/** The options of a mutation for each operation that writes. */
export function petstoreMutations(petstore: Petstore, name = "petstore"): Mutations {
  const mutations = table
    .filter(({ method }) => method !== "GET")
    .map(({ id }) => {
      const call = petstore[id] as AnyCall;
      const mutation = () => ({
        mutationKey: [name, id],
        mutationFn: (input: unknown) => call(input).orThrow(),
        retry: false,
      });
      return [id, mutation];
    });
  return Object.fromEntries(mutations) as Mutations;
}

/** The cursor of the link to the next page. Where that link leads does not matter: the page is asked of this service. */
function cursorIn(headers: Headers | undefined): string | undefined {
  const target = linkTo("next", headers);
  return new URLSearchParams(target?.split("?", 2)[1]).get("cursor") ?? undefined;
}
