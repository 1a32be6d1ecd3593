// Generated from the contract by `pnpm generate`. Do not edit.
import type { Body, Fields, Init, Parameters } from "../input.ts";
import type { CallOptions } from "../options.ts";
import type { Call, Items } from "../result.ts";

/** The input of `listPets`: its parameters and body. */
export type ListPetsInput = Fields<Parameters<"listPets">>;

/** The input of `createPet`: its parameters and body. */
export type CreatePetInput = Fields<Parameters<"createPet"> & Body<"createPet">>;

/** The input of `getPet`: its parameters and body. */
export type GetPetInput = Fields<Parameters<"getPet">>;

/** A method for each operation. */
export interface ByOperation {
  /**
   * List animals
   *
   * Returns a page of animals, ordered by `id`.
   *
   * While more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
   * has no such link. Every animal that exists throughout the listing appears exactly once.
   */
  listPets: (input?: ListPetsInput, options?: CallOptions) => Call<"listPets">;
  /**
   * Add an animal
   *
   * Adds an animal. The service assigns its `id`.
   *
   * Send an `Idempotency-Key` to make the request safe to repeat. A repeat with the same key and the same body gets
   * the first response, marked `Idempotency-Replayed: true`, and adds no second animal. Keys expire after 24 hours.
   */
  createPet: (input: CreatePetInput, options?: CallOptions) => Call<"createPet">;
  /**
   * Fetch one animal
   *
   * Returns one animal by its identifier.
   *
   * Deprecated. The operation will be removed on 5 December 2030. Use `GET /pets` with the `status` filter instead.
   * @deprecated Will be removed on 2030-12-05. Use `listPets`.
   */
  getPet: (input: GetPetInput, options?: CallOptions) => Call<"getPet">;
}

/** The operations with pages. */
export interface ByPage {
  /**
   * List animals
   *
   * Returns a page of animals, ordered by `id`.
   *
   * While more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
   * has no such link. Every animal that exists throughout the listing appears exactly once.
   */
  listPets: (input?: ListPetsInput, options?: CallOptions) => Items<"listPets">;
}

/** A method for each HTTP method, called with a path template of the contract. */
export interface ByPath {
  GET: {
    /**
     * List animals
     *
     * Returns a page of animals, ordered by `id`.
     *
     * While more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
     * has no such link. Every animal that exists throughout the listing appears exactly once.
     */
    (path: "/pets", init?: Init<"listPets"> & CallOptions): Call<"listPets">;
    /**
     * Fetch one animal
     *
     * Returns one animal by its identifier.
     *
     * Deprecated. The operation will be removed on 5 December 2030. Use `GET /pets` with the `status` filter instead.
     * @deprecated Will be removed on 2030-12-05. Use `listPets`.
     */
    (path: "/pets/{petId}", init: Init<"getPet"> & CallOptions): Call<"getPet">;
  };
  POST: {
    /**
     * Add an animal
     *
     * Adds an animal. The service assigns its `id`.
     *
     * Send an `Idempotency-Key` to make the request safe to repeat. A repeat with the same key and the same body gets
     * the first response, marked `Idempotency-Replayed: true`, and adds no second animal. Keys expire after 24 hours.
     */
    (path: "/pets", init: Init<"createPet"> & CallOptions): Call<"createPet">;
  };
}
