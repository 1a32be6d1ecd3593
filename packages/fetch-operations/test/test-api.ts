import { anyError, type Api, OperationError, type OperationDescription } from "../src/index.ts";
import { apiKey, basic, bearer } from "../src/security/schemes.ts";

/** The error of the tests' service. */
export class ShopError extends OperationError {}

/** The shared parts of the tests' contract. */
export const api: Api = {
  name: "Shop",
  version: "1.2.3",
  error: ShopError,
  schemes: { key: bearer(), user: basic(), header: apiKey("header", "X-Key"), query: apiKey("query", "key") },
  security: [],
  requestIdHeader: "X-Request-Id",
  errors: anyError,
};

/** An operation without parameters. */
export const read: OperationDescription = {
  id: "getPet",
  method: "GET",
  path: "/a",
  parameters: {},
  success: [200],
  isRetryable: true,
};
