import type { StartService } from "@openapi-operations/api-keys/test-service";

export type { TestService } from "@openapi-operations/api-keys/test-service";

/** The export of `service.ts` for other packages, whose type-check need not look through the service as well. */
export declare const startService: StartService;
