import { createPetstore } from "@petstore/client";
import { petstoreInfiniteQueries, petstoreMutations } from "@petstore/client/react-query";

/**
 * The client of the page. It calls the page's own origin, whose server passes requests on and adds the API key: every visitor
 * can read a key in a page.
 */
const petstore = createPetstore({
  baseUrl: new URL("/v1", location.href).href,
  apiKey: "added-by-the-server",
  timeout: 15_000,
});

/** Options for `useInfiniteQuery`, by operation. */
export const lists = petstoreInfiniteQueries(petstore);

/** Options for `useMutation`, by operation. */
export const mutations = petstoreMutations(petstore);
