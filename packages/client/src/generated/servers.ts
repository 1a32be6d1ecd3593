// Generated from the contract by fetch-operations. Do not edit.

/** The servers of the contract, in its order. Each returns a `baseUrl`; a variable without a value has its default. */
export const servers = [
  /**
   * Production
   */
  (): string => "https://api.petstore.example/v1",
  /**
   * Staging
   */
  (): string => "https://staging.petstore.example/v1",
] as const;
