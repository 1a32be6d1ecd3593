import type { OpenApiDocument, Schema } from "../generated/openapi.ts";

/** The contract, as the testing kit reads it. */
export interface ContractDocument extends OpenApiDocument {
  servers: { url: string; description?: string }[];
  components: { schemas?: Record<string, Schema>; [field: string]: unknown };
  [field: string]: unknown;
}
