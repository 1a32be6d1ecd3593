// Generated from the contract by `pnpm generate`. Do not edit.
import type { Operation } from "../operation.ts";

/**
 * List animals
 *
 * Returns a paginated list of animals, ordered by `id`.
 */
export const listPets: Operation<"listPets"> = {
  "id": "listPets",
  "method": "GET",
  "path": "/pets",
  "parameters": {
    "limit": "query",
    "status": "query",
    "cursor": "query"
  },
  "success": [
    200
  ],
  "isRepeatable": true,
  "isPaged": true
};

/**
 * Add an animal
 *
 * Adds a new animal. The service assigns its `id`.
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
  "isRepeatable": true
};

/**
 * Fetch one animal
 *
 * Returns one animal by identifier.
 *
 * Deprecated: removal is announced for 5 December 2030. Use `GET /pets` with the `status` filter.
 * @deprecated Will be removed on 2030-12-05. Use `listPets`.
 */
export const getPet: Operation<"getPet"> = {
  "id": "getPet",
  "method": "GET",
  "path": "/pets/{petId}",
  "parameters": {
    "petId": "path"
  },
  "success": [
    200
  ],
  "isRepeatable": true,
  "deprecated": {
    "since": "2026-11-21",
    "sunset": "2030-12-05",
    "successor": "listPets"
  }
};

/** Every operation of the contract. */
export const operations = [listPets, createPet, getPet];
