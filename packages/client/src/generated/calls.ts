// Generated from the contract by `pnpm generate`. Do not edit.
import type { Call } from "../call.ts";
import type { Body, Fields, Init, Parameters } from "../input.ts";
import type { CallOptions } from "../options.ts";
import type { Items } from "../pages.ts";

/** What `listPets` takes. */
export type ListPetsInput = Fields<Parameters<"listPets">>;

/** What `createPet` takes. */
export type CreatePetInput = Fields<Parameters<"createPet"> & Body<"createPet">>;

/** What `getPet` takes. */
export type GetPetInput = Fields<Parameters<"getPet">>;

/** A method for each operation. */
export interface ByOperation {
  /**
   * List animals
   *
   * Returns a paginated list of animals, ordered by `id`.
   */
  listPets: (input?: ListPetsInput, options?: CallOptions) => Call<"listPets">;
  /**
   * Add an animal
   *
   * Adds a new animal. The service assigns its `id`.
   */
  createPet: (input: CreatePetInput, options?: CallOptions) => Call<"createPet">;
  /**
   * Fetch one animal
   *
   * Returns one animal by identifier.
   *
   * Deprecated: removal is announced for 5 December 2030. Use `GET /pets` with the `status` filter.
   * @deprecated Will be removed on 2030-12-05. Use `listPets`.
   */
  getPet: (input: GetPetInput, options?: CallOptions) => Call<"getPet">;
}

/** The operations that answer page by page. */
export interface ByPage {
  /**
   * List animals
   *
   * Returns a paginated list of animals, ordered by `id`.
   */
  listPets: (input?: ListPetsInput, options?: CallOptions) => Items<"listPets">;
}

/** A method for each HTTP method, which takes a path of the contract. */
export interface ByPath {
  GET: {
    /**
     * List animals
     *
     * Returns a paginated list of animals, ordered by `id`.
     */
    (path: "/pets", init?: Init<"listPets"> & CallOptions): Call<"listPets">;
    /**
     * Fetch one animal
     *
     * Returns one animal by identifier.
     *
     * Deprecated: removal is announced for 5 December 2030. Use `GET /pets` with the `status` filter.
     * @deprecated Will be removed on 2030-12-05. Use `listPets`.
     */
    (path: "/pets/{petId}", init: Init<"getPet"> & CallOptions): Call<"getPet">;
  };
  POST: {
    /**
     * Add an animal
     *
     * Adds a new animal. The service assigns its `id`.
     */
    (path: "/pets", init: Init<"createPet"> & CallOptions): Call<"createPet">;
  };
}
