import type { OperationIdsByTag, OperationsWithDefaults } from "@petstore/contract";
import { holdsApiKey } from "@openapi-operations/api-keys/api-key";
import { idempotent } from "@openapi-operations/api-keys/idempotent";
import { errorBody } from "@openapi-operations/service/errors";
import { page } from "@openapi-operations/service/page";
import type { Handlers } from "express-operations";
import type { Context } from "../context.ts";
import { findPet, insertPet, listPets } from "./pets.repository.ts";
import type { PetsTables } from "./pets.table.ts";

const API_KEY_IN_NAME = 'The field "name" contains an API key. Send API keys in the Authorization header only.';

/** The operations tagged Pets. */
export const petsHandlers = {
  listPets: {
    isCacheable: true,
    async handler(input) {
      const { query, context } = input;
      return page(input, (slice) => listPets(context.db, { ...slice, status: query.status }));
    },
  },

  async createPet(input) {
    const { body, caller } = input;
    if (holdsApiKey(body.name)) return { status: 400, body: errorBody("invalid_request", API_KEY_IN_NAME) };
    const pet = { ...body, createdBy: caller.id, createdAt: Date.now() };
    return idempotent(input, async (trx) => ({ status: 201, body: await insertPet(trx, pet) }));
  },

  getPet: {
    isCacheable: true,
    async handler({ path, context }) {
      const pet = await findPet(context.db, { id: path.petId });
      if (pet === undefined) return { status: 404, body: errorBody("not_found", "There is no animal with this id.") };
      return { status: 200, body: pet };
    },
  },
} satisfies Handlers<Pick<OperationsWithDefaults, OperationIdsByTag["Pets"]>, Context<PetsTables>>;
