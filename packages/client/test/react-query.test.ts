import {
  type InfiniteData,
  InfiniteQueryObserver,
  MutationObserver,
  QueryClient,
  QueryObserver,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { startService } from "@petstore/server/testing";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { operations } from "../src/generated/operations.ts";
import { type CreatePetInput, createPetstore, type Pet, type Pets, type PetstoreError } from "../src/index.ts";
import { type ListPage, petstoreInfiniteQueries, petstoreMutations, petstoreQueries } from "../src/react-query.ts";
import { createFakePetstore } from "../src/testing.ts";

const rex = { name: "Rex", categoryId: 1 };

function start(fetch = createFakePetstore().fetch) {
  const service = { baseUrl: "https://pets.test/v1", apiKey: "any", onDeprecated: false as const };
  const petstore = createPetstore({ ...service, fetch, retry: { limit: 1, baseDelay: 1 } });
  const client = new QueryClient();
  onTestFinished(() => client.clear());
  return { petstore, client };
}

/** Returns an observer's result after fetching has ended. */
function settled<Result extends { fetchStatus: string }>(observer: {
  subscribe: (listener: (result: Result) => void) => () => void;
}): Promise<Result> {
  return new Promise((resolve) => {
    const unsubscribe = observer.subscribe((result) => {
      if (result.fetchStatus === "idle") resolve(result);
    });
    onTestFinished(unsubscribe);
  });
}

test("queries, infinite queries and mutations work with the real service", async () => {
  await using service = await startService();
  const petstore = createPetstore({ baseUrl: service.baseUrl, apiKey: service.key });
  const { client } = start();
  const creation = new MutationObserver(client, petstoreMutations(petstore).createPet());
  const created = [await creation.mutate(rex), await creation.mutate(rex), await creation.mutate(rex)];
  expect(await client.fetchQuery(petstoreQueries(petstore).listPets({ limit: 2 }))).toEqual(created.slice(0, 2));

  const list = new InfiniteQueryObserver(client, petstoreInfiniteQueries(petstore).listPets({ limit: 2 }));
  expect((await settled(list)).hasNextPage).toBe(true);
  const { data, hasNextPage } = await list.fetchNextPage();
  expect(data?.pages.map(({ items }) => items)).toEqual([created.slice(0, 2), created.slice(2)]);
  expect(hasNextPage).toBe(false);
});

describe("keys", () => {
  test("consist of the petstore's name, the operation and its optional input", () => {
    const { petstore } = start();
    const queries = petstoreQueries(petstore);
    expect(queries.listPets().queryKey).toEqual(["petstore", "listPets", {}]);
    expect(queries.getPet({ petId: 1 }).queryKey).toEqual(["petstore", "getPet", { petId: 1 }]);
    const pages = petstoreInfiniteQueries(petstore, "staging").listPets({ limit: 2 });
    expect(pages.queryKey).toEqual(["staging", "listPets", { limit: 2 }, "pages"]);
    expect(petstoreMutations(petstore).createPet().mutationKey).toEqual(["petstore", "createPet"]);
  });

  test("exist for queries and for mutations", () => {
    const { petstore } = start();
    const idsOf = (isRead: boolean) =>
      Object.values(operations).flatMap(({ method, id }) => ((method === "GET") === isRead ? id : []));
    expect(Object.keys(petstoreQueries(petstore))).toEqual(idsOf(true));
    expect(Object.keys(petstoreMutations(petstore))).toEqual(idsOf(false));
  });

  test("match by prefix and carry the type of the data", async () => {
    const { client, petstore } = start();
    const queries = petstoreQueries(petstore);
    await client.fetchQuery(queries.listPets({ limit: 2 }));
    await client.fetchInfiniteQuery(petstoreInfiniteQueries(petstore).listPets({ limit: 2 }));
    await client.fetchQuery(queries.getPet({ petId: 1 }));
    expect(client.getQueryCache().findAll({ queryKey: ["petstore", "listPets"] })).toHaveLength(2);
    expect(client.getQueryCache().findAll({ queryKey: queries.listPets({ limit: 2 }).queryKey })).toHaveLength(2);
    const data = client.getQueryData(queries.getPet({ petId: 1 }).queryKey);
    expectTypeOf(data).toEqualTypeOf<Pet | undefined>();
    expect(data?.name).toBe("Rex");
  });
});

test("only the client retries, and the error is a PetstoreError", async () => {
  const fake = createFakePetstore();
  const { petstore, client } = start(fake.fetch);
  fake.mock("listPets", { status: 503 });
  fake.mock("createPet", { status: 503 });
  const { error } = await settled(new QueryObserver(client, petstoreQueries(petstore).listPets()));
  expectTypeOf(error).toEqualTypeOf<PetstoreError | null>();
  expect([error?.name, error?.status, error?.code]).toEqual(["PetstoreError", 503, "unavailable"]);
  await settled(new InfiniteQueryObserver(client, petstoreInfiniteQueries(petstore).listPets()));
  const creation = new MutationObserver(client, petstoreMutations(petstore).createPet());
  await expect(creation.mutate(rex)).rejects.toThrow("The service is temporarily unavailable.");
  expect(fake.requests.map(({ operationId }) => operationId)).toEqual([
    ...Array(4).fill("listPets"),
    ...Array(2).fill("createPet"),
  ]);
});

test.each(["listPets", "pages"])("cancelling a query aborts its request: %s", async (kind) => {
  const sent = Promise.withResolvers<AbortSignal>();
  const { petstore, client } = start((_input, init) => {
    sent.resolve(init!.signal!);
    return new Promise(() => {});
  });
  const fetching =
    kind === "pages"
      ? client.fetchInfiniteQuery(petstoreInfiniteQueries(petstore).listPets())
      : client.fetchQuery(petstoreQueries(petstore).listPets());
  const signal = await sent.promise;
  expect(signal.aborted).toBe(false);
  await client.cancelQueries({ queryKey: ["petstore", "listPets"] });
  await expect(fetching).rejects.toThrow("CancelledError");
  expect(signal.aborted).toBe(true);
});

test("the hooks know the types of each operation", () => {
  const { petstore } = start();
  const [queries, lists] = [petstoreQueries(petstore), petstoreInfiniteQueries(petstore)];
  const Component = () => {
    const query = useQuery(queries.listPets({ status: "sold" }));
    expectTypeOf(query.data).toEqualTypeOf<Pets | undefined>();
    expectTypeOf(query.error).toEqualTypeOf<PetstoreError | null>();
    expectTypeOf(useQuery({ ...queries.listPets(), select: (pets) => pets.length }).data).toEqualTypeOf<
      number | undefined
    >();
    expectTypeOf(useSuspenseQuery(queries.getPet({ petId: 1 })).data).toEqualTypeOf<Pet>();
    type Data = InfiniteData<ListPage<"listPets">, string | undefined>;
    expectTypeOf(useInfiniteQuery(lists.listPets()).data).toEqualTypeOf<Data | undefined>();
    expectTypeOf(useSuspenseInfiniteQuery(lists.listPets({ limit: 2 })).data).toEqualTypeOf<Data>();
    const mutation = useMutation({ ...petstoreMutations(petstore).createPet(), onSuccess: ({ id }) => void id });
    expectTypeOf(mutation.mutate).parameter(0).toEqualTypeOf<CreatePetInput>();
    expectTypeOf(mutation.error).toEqualTypeOf<PetstoreError | null>();
    // @ts-expect-error petId is required
    queries.getPet();
    // @ts-expect-error pages begin with the first
    lists.listPets({ cursor: "MToy" });
    // @ts-expect-error an operation that writes is no query
    void queries.createPet;
    // @ts-expect-error an operation that reads is no mutation
    void petstoreMutations(petstore).listPets;
  };
  expect(Component).toBeTypeOf("function");
});
