// Generated from the contract by fetch-operations. Do not edit.
import { type CallOptions, type DataOf, type ItemOf, type Operation, type PagedOperation } from "fetch-operations";
import type { ListPetsInput, ListPetsResult, CreatePetInput, CreatePetResult, GetPetInput, GetPetResult } from "./calls.ts";

/**
 * List animals
 *
 * Returns a page of animals, ordered by `id`.
 *
 * If more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
 * has no such link. Every animal that exists throughout the listing appears exactly once.
 */
export const listPets: PagedOperation<[input?: ListPetsInput, options?: CallOptions], ListPetsResult, ItemOf<DataOf<ListPetsResult>>> = {
  "id": "listPets",
  "method": "GET",
  "path": "/pets",
  "parameters": { "limit": "query", "status": "query", "cursor": "query", "If-None-Match": "header" },
  "success": [200],
  "isRetryable": true,
  "pages": { "by": "link", "items": "", "cursor": "cursor" }
};

/**
 * Add an animal
 *
 * Adds an animal. The service assigns its `id`.
 *
 * Send an `Idempotency-Key` to make the request safe to repeat. A repeat with the same key and the same body gets
 * the first response, marked `Idempotency-Replayed: true`, and adds no second animal. Keys expire after 24 hours.
 */
export const createPet: Operation<[input: CreatePetInput, options?: CallOptions], CreatePetResult> = {
  "id": "createPet",
  "method": "POST",
  "path": "/pets",
  "parameters": { "Idempotency-Key": "header" },
  "hasFields": true,
  "success": [201],
  "isRetryable": true,
  "idempotencyKey": "Idempotency-Key"
};

/**
 * Fetch one animal
 *
 * Returns one animal by its identifier.
 *
 * Deprecated. The operation will be removed on 5 December 2030. Use `GET /pets` with the `status` filter instead.
 * @deprecated Will be removed on 2030-12-05. Use `listPets`.
 */
export const getPet: Operation<[input: GetPetInput, options?: CallOptions], GetPetResult> = {
  "id": "getPet",
  "method": "GET",
  "path": "/pets/{petId}",
  "parameters": { "petId": "path", "If-None-Match": "header" },
  "success": [200],
  "isRetryable": true,
  "deprecated": { "since": "2026-11-21", "sunset": "2030-12-05", "successor": "listPets" }
};

/** Every operation of the contract, by name. */
export const operations = { listPets, createPet, getPet };
