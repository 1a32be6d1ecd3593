import { operations } from "../generated/operations.ts";
import type { InfiniteQueries, Mutations, Queries } from "../generated/queries.ts";
import { linkTo } from "../link.ts";
import type { Operation, OperationId } from "../operation.ts";
import type { Petstore } from "../petstore.ts";
import type { ListPage } from "./options.ts";

/** A call of any operation. The types of each operation are generated. */
type AnyCall = (input: unknown, options?: { signal: AbortSignal }) => ReturnType<Petstore[OperationId]>;

const table: Operation<OperationId>[] = operations;

/**
 * Returns query options for each `GET` operation. The query's signal aborts the request. TanStack Query does not retry, because
 * the client does. Keys begin with `name`: two petstores in one `QueryClient` need different names.
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

/** Returns infinite query options for each operation with pages, with signal, retries and `name` as in `petstoreQueries`. */
export function petstoreInfiniteQueries(petstore: Petstore, name = "petstore"): InfiniteQueries {
  const queries = table
    .filter(({ isPaged }) => isPaged)
    .map(({ id }) => {
      const call = petstore[id] as AnyCall;
      const query = (input: object = {}) => ({
        queryKey: [name, id, input, "pages"],
        queryFn: async ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) => {
          const pending = call({ ...input, cursor: pageParam }, { signal });
          const items = await pending.orThrow();
          return { items, next: cursorIn((await pending).response?.headers) };
        },
        initialPageParam: undefined,
        getNextPageParam: ({ next }: ListPage<OperationId>) => next,
        retry: false,
      });
      return [id, query];
    });
  return Object.fromEntries(queries) as InfiniteQueries;
}

/** Returns mutation options for each operation that is not a `GET`. TanStack Query does not retry. Keys begin with `name`. */
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

/** Returns the cursor of the link to the next page. The rest of the link is ignored, so the request goes to this service. */
function cursorIn(headers: Headers | undefined): string | undefined {
  const target = linkTo("next", headers);
  return new URLSearchParams(target?.split("?", 2)[1]).get("cursor") ?? undefined;
}
