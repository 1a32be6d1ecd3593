import { createHash } from "node:crypto";
import type { HandledOperations, OperationIdsByTag, Pet } from "@petstore/contract";
import { holdsApiKey } from "@platform/api-keys/api-key";
import type { Environment } from "@platform/api-keys/environment";
import { errorBody } from "@platform/service/errors";
import { once } from "@platform/storage/idempotency.repository";
import type { IdempotencyTables } from "@platform/storage/idempotency.table";
import type { Handlers } from "express-operations";
import { cacheable } from "express-operations/cacheable";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { findPet, insertPet, insertPets, listPets } from "./pets.repository.ts";
import type { PetsTables } from "./pets.table.ts";

const API_KEY_MISPLACED =
  "An API key belongs in the Authorization header alone; neither a name nor an Idempotency-Key may hold one.";

/** The operations tagged Pets. */
export const petsHandlers = {
  listPets: cacheable(async ({ query, requestPath, context }) => {
    const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
    if (query.cursor !== undefined && after === undefined) {
      return {
        status: 400,
        body: errorBody(
          "invalid_request",
          'Query parameter "cursor" is not a cursor returned by this service. Start again without it.',
        ),
      };
    }
    const { limit, status } = query;
    const found = await listPets(context.db, { limit: limit + 1, status, after });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    if (last === undefined || found.length === page.length) return { status: 200, body: page };
    const next = new URLSearchParams({
      limit: String(limit),
      ...(status && { status }),
      cursor: encodeCursor(last.id),
    });
    return { status: 200, headers: { Link: `<${requestPath}?${next.toString()}>; rel="next"` }, body: page };
  }),

  async createPet({ body, headers, caller, context }) {
    const key = headers["Idempotency-Key"];
    if ([body.name, key ?? ""].some(holdsApiKey))
      return { status: 400, body: errorBody("invalid_request", API_KEY_MISPLACED) };
    const now = Date.now();
    const pet = { ...body, createdBy: caller.id, createdAt: now };
    if (key === undefined) return { status: 201, body: await context.writeEach(insertPets, pet) };
    const request = { apiKeyId: caller.id, key, requestHash: hashOf(body), now };
    const result = await once(context.write, request, (trx) => insertPet(trx, pet));
    switch (result.outcome) {
      case "done":
        return { status: 201, body: result.answer };
      case "replayed":
        return { status: 201, headers: { "Idempotency-Replayed": "true" }, body: result.answer };
      case "reused":
        return { status: 422, body: errorBody("idempotency_key_reused") };
      case "running":
        return { status: 409, headers: { "Retry-After": 1 }, body: errorBody("idempotency_in_progress") };
    }
  },

  getPet: cacheable(async ({ path, context }) => {
    const pet = await findPet(context.db, path.petId);
    if (pet === undefined) return { status: 404, body: errorBody("not_found", "There is no animal with this id.") };
    return { status: 200, body: pet };
  }),
} satisfies Handlers<Pick<HandledOperations, OperationIdsByTag["Pets"]>, Environment<PetsTables & IdempotencyTables>>;

/** Two bodies that mean the same animal hash the same, whatever the order of their fields. */
function hashOf({ name, categoryId, status }: Omit<Pet, "id">): string {
  return createHash("sha256")
    .update(JSON.stringify([name, categoryId, status]))
    .digest("hex");
}
