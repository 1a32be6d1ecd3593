const status = { type: "string", enum: ["available", "pending", "sold"] };

/** JSON schemas of the contract, as written for Fastify. */
export const petSchema = {
  type: "object",
  required: ["id", "name", "categoryId", "status"],
  properties: { id: { type: "integer" }, name: { type: "string" }, categoryId: { type: "integer" }, status },
};

export const newPetSchema = {
  type: "object",
  required: ["name", "categoryId"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}\\p{Cs}]*$" },
    categoryId: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    status: { ...status, default: "available" },
  },
};

export const listQuerySchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "string", minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9_-]+$" },
  },
};

export const petIdSchema = {
  type: "object",
  required: ["petId"],
  properties: {
    petId: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  },
};

export const errorSchema = {
  type: "object",
  required: ["code", "message", "status"],
  properties: { code: { type: "string" }, message: { type: "string" }, status: { type: "integer" } },
};
