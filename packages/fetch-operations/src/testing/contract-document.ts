import type { OpenApiDocument, Schema } from "openapi-document";

/** The fields of a contract that a fake reads. */
export interface ContractDocument extends OpenApiDocument {
  servers?: {
    url: string;
    description?: string;
    variables?: Record<string, ServerVariable>;
    [field: string]: unknown;
  }[];
  components?: { schemas?: Record<string, Schema>; [field: string]: unknown };
  [field: string]: unknown;
}

interface ServerVariable {
  default: string;
  [field: string]: unknown;
}
