// Generated from the contract by fetch-operations. Do not edit.
import type { Call as CallOf, Items as ItemsOf, Page as PageOf } from "fetch-operations";
import type { CallOptions, DataOf, EmptyError, ErrorResponse, ErrorStatus, Failure, Fields, In, ItemOf, ResponseStatus, Success, UndeclaredError } from "fetch-operations";
import type { paths } from "./schema.ts";

/** The input of `listPets`: its parameters. */
export interface ListPetsInput extends Fields<In<paths["/pets"]["get"], "query"> & In<paths["/pets"]["get"], "header">> {
  limit?: Exclude<In<paths["/pets"]["get"], "query">["limit"], undefined>;
}

/** The results of `listPets`. */
export type ListPetsResult =
  | Success<200, paths["/pets"]["get"]["responses"][200]["content"]["application/json"]>
  | ErrorResponse<304, EmptyError>
  | ErrorResponse<400, paths["/pets"]["get"]["responses"][400]["content"]["application/json"]>
  | ErrorResponse<401, paths["/pets"]["get"]["responses"][401]["content"]["application/json"]>
  | ErrorResponse<403, paths["/pets"]["get"]["responses"][403]["content"]["application/json"]>
  | ErrorResponse<429, paths["/pets"]["get"]["responses"][429]["content"]["application/json"]>
  | ErrorResponse<503, paths["/pets"]["get"]["responses"][503]["content"]["application/json"]>
  | ErrorResponse<Exclude<ErrorStatus, 400 | 401 | 403 | 429 | 503>, paths["/pets"]["get"]["responses"]["default"]["content"]["application/json"]>
  | ErrorResponse<Exclude<ResponseStatus, 200 | 304 | ErrorStatus>, UndeclaredError>
  | Failure;

/** The input of `createPet`: its parameters and body. */
export interface CreatePetInput extends Fields<In<paths["/pets"]["post"], "header"> & NonNullable<paths["/pets"]["post"]["requestBody"]>["content"]["application/json"]> {
  "Idempotency-Key"?: Exclude<In<paths["/pets"]["post"], "header">["Idempotency-Key"], undefined>;
}

/** The results of `createPet`. */
export type CreatePetResult =
  | Success<201, paths["/pets"]["post"]["responses"][201]["content"]["application/json"]>
  | ErrorResponse<400, paths["/pets"]["post"]["responses"][400]["content"]["application/json"]>
  | ErrorResponse<401, paths["/pets"]["post"]["responses"][401]["content"]["application/json"]>
  | ErrorResponse<403, paths["/pets"]["post"]["responses"][403]["content"]["application/json"]>
  | ErrorResponse<409, paths["/pets"]["post"]["responses"][409]["content"]["application/json"]>
  | ErrorResponse<412, paths["/pets"]["post"]["responses"][412]["content"]["application/json"]>
  | ErrorResponse<413, paths["/pets"]["post"]["responses"][413]["content"]["application/json"]>
  | ErrorResponse<415, paths["/pets"]["post"]["responses"][415]["content"]["application/json"]>
  | ErrorResponse<422, paths["/pets"]["post"]["responses"][422]["content"]["application/json"]>
  | ErrorResponse<429, paths["/pets"]["post"]["responses"][429]["content"]["application/json"]>
  | ErrorResponse<503, paths["/pets"]["post"]["responses"][503]["content"]["application/json"]>
  | ErrorResponse<Exclude<ErrorStatus, 400 | 401 | 403 | 409 | 412 | 413 | 415 | 422 | 429 | 503>, paths["/pets"]["post"]["responses"]["default"]["content"]["application/json"]>
  | ErrorResponse<Exclude<ResponseStatus, 201 | ErrorStatus>, UndeclaredError>
  | Failure;

/** The input of `getPet`: its parameters. */
export interface GetPetInput extends Fields<In<paths["/pets/{petId}"]["get"], "path"> & In<paths["/pets/{petId}"]["get"], "header">> {
  petId: In<paths["/pets/{petId}"]["get"], "path">["petId"];
}

/** The results of `getPet`. */
export type GetPetResult =
  | Success<200, paths["/pets/{petId}"]["get"]["responses"][200]["content"]["application/json"]>
  | ErrorResponse<304, EmptyError>
  | ErrorResponse<400, paths["/pets/{petId}"]["get"]["responses"][400]["content"]["application/json"]>
  | ErrorResponse<401, paths["/pets/{petId}"]["get"]["responses"][401]["content"]["application/json"]>
  | ErrorResponse<403, paths["/pets/{petId}"]["get"]["responses"][403]["content"]["application/json"]>
  | ErrorResponse<404, paths["/pets/{petId}"]["get"]["responses"][404]["content"]["application/json"]>
  | ErrorResponse<429, paths["/pets/{petId}"]["get"]["responses"][429]["content"]["application/json"]>
  | ErrorResponse<503, paths["/pets/{petId}"]["get"]["responses"][503]["content"]["application/json"]>
  | ErrorResponse<Exclude<ErrorStatus, 400 | 401 | 403 | 404 | 429 | 503>, paths["/pets/{petId}"]["get"]["responses"]["default"]["content"]["application/json"]>
  | ErrorResponse<Exclude<ResponseStatus, 200 | 304 | ErrorStatus>, UndeclaredError>
  | Failure;

/** A method for each operation. */
export interface ByOperation {
  /**
   * List animals
   *
   * Returns a page of animals, ordered by `id`.
   *
   * If more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
   * has no such link. Every animal that exists throughout the listing appears exactly once.
   */
  listPets: (input?: ListPetsInput, options?: CallOptions) => CallOf<ListPetsResult>;
  /**
   * Add an animal
   *
   * Adds an animal. The service assigns its `id`.
   *
   * Send an `Idempotency-Key` to make the request safe to repeat. A repeat with the same key and the same body gets
   * the first response, marked `Idempotency-Replayed: true`, and adds no second animal. Keys expire after 24 hours.
   */
  createPet: (input: CreatePetInput, options?: CallOptions) => CallOf<CreatePetResult>;
  /**
   * Fetch one animal
   *
   * Returns one animal by its identifier.
   *
   * Deprecated. The operation will be removed on 5 December 2030. Use `GET /pets` with the `status` filter instead.
   * @deprecated Will be removed on 2030-12-05. Use `listPets`.
   */
  getPet: (input: GetPetInput, options?: CallOptions) => CallOf<GetPetResult>;
}

/** The operations with pages. */
export interface ByPage {
  /**
   * List animals
   *
   * Returns a page of animals, ordered by `id`.
   *
   * If more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
   * has no such link. Every animal that exists throughout the listing appears exactly once.
   */
  listPets: (input?: ListPetsInput, options?: CallOptions) => ItemsOf<ListPetsResult, ItemOf<DataOf<ListPetsResult>>>;
}

/** The operations, with the response of a success in place of its data. Its body can still be read. */
export interface Raw {
  listPets: (input?: ListPetsInput, options?: CallOptions) => Promise<Response>;
  createPet: (input: CreatePetInput, options?: CallOptions) => Promise<Response>;
  getPet: (input: GetPetInput, options?: CallOptions) => Promise<Response>;
}

/** The results of each operation. */
export interface Results {
  listPets: ListPetsResult;
  createPet: CreatePetResult;
  getPet: GetPetResult;
}

/** The items of each operation with pages. */
export interface PageItems {
  listPets: ItemOf<DataOf<ListPetsResult>>;
}

/** The names of the operations. */
export type OperationId = keyof Results;

/** The result of a call, a union to branch on by `ok` or `status`. Status 0 is a `Failure`. */
export type Result<Id extends OperationId> = Results[Id];

/** The type of an operation's `data`. */
export type Data<Id extends OperationId> = DataOf<Results[Id]>;

/** A promise of a `Result`, with `orThrow()`, which resolves to the data or rejects with a `PetstoreError`. */
export type Call<Id extends OperationId> = CallOf<Results[Id]>;

/** The items of a list, over all pages. */
export type Items<Id extends keyof ByPage> = ItemsOf<Results[Id], PageItems[Id]>;

/** One page of a list. */
export type Page<Id extends keyof ByPage> = PageOf<Results[Id], PageItems[Id]>;
