import type { Pet } from "@petstore/contract";

/** A running service over its own database, and a key for it. */
export interface TestService {
  baseUrl: string;
  metricsUrl: string | undefined;
  databaseUrl: string;
  key: string;
  /** Requests a path below the base URL with the key, and checks what holds for every response. */
  request: (path: string, init?: RequestInit & { key?: string | null }) => Promise<Response>;
  /** Adds an animal and gives it as answered. */
  addPet: (pet?: object) => Promise<Pet>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** The export of `service.ts` for other packages, whose type-check need not look through the service as well. */
export declare const startService: (env?: NodeJS.ProcessEnv) => Promise<TestService>;
