// Generated from the contract by `pnpm generate`. Do not edit.
import type { Operation } from "../operation.ts";

/**
 * List animals
 *
 * Returns a page of animals, ordered by `id`.
 *
 * While more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
 * has no such link. Every animal that exists throughout the listing appears exactly once.
 */
export const listPets: Operation<"listPets"> = {
  "id": "listPets",
  "method": "GET",
  "path": "/pets",
  "parameters": {
    "limit": "query",
    "status": "query",
    "cursor": "query",
    "If-None-Match": "header"
  },
  "success": [
    200
  ],
  "isRetryable": true,
  "isPaged": true
};

/**
 * Add an animal
 *
 * Adds an animal. The service assigns its `id`.
 *
 * Send an `Idempotency-Key` to make the request safe to repeat. A repeat with the same key and the same body gets
 * the first response, marked `Idempotency-Replayed: true`, and adds no second animal. Keys expire after 24 hours.
 */
export const createPet: Operation<"createPet"> = {
  "id": "createPet",
  "method": "POST",
  "path": "/pets",
  "parameters": {
    "Idempotency-Key": "header"
  },
  "hasFields": true,
  "success": [
    201
  ],
  "isRetryable": true
};

/**
 * Fetch one animal
 *
 * Returns one animal by its identifier.
 *
 * Deprecated. The operation will be removed on 5 December 2030. Use `GET /pets` with the `status` filter instead.
 * @deprecated Will be removed on 2030-12-05. Use `listPets`.
 */
export const getPet: Operation<"getPet"> = {
  "id": "getPet",
  "method": "GET",
  "path": "/pets/{petId}",
  "parameters": {
    "petId": "path",
    "If-None-Match": "header"
  },
  "success": [
    200
  ],
  "isRetryable": true,
  "deprecated": {
    "since": "2026-11-21",
    "sunset": "2030-12-05",
    "successor": "listPets"
  }
};

/** Every operation of the contract. */
export const operations = [listPets, createPet, getPet];
