import type { SecurityHandler } from "express-operations";

/** A user who has sent name and password. */
export interface User {
  id: string;
  name: string;
}

/**
 * Validates `user:password` (RFC 7617). Write it: look the user up, compare the hash of the password, and return `{ caller }`. Until
 * then, every password is invalid. Then give `startService` in `testing/service.ts` a user for tests, by the name of the scheme:
 * `secrets: { basicAuth: "user:password" }`.
 */
export const verifyPassword: SecurityHandler<User> = (_credential) => undefined;
