/** A running service over its own database, and credentials for it. */
export interface TestService {
  baseUrl: string;
  metricsUrl: string | undefined;
  databaseUrl: string;
  /** An API key with every scope. */
  key: string;
  /** Returns credentials with every scope for an operation. */
  credentials: (operationId: string) => { headers: Record<string, string>; query: Record<string, string> };
  /** Creates credentials without scopes. Those that a function of the team validates stay the same. */
  createLesserCredentials: () => Promise<TestService["credentials"]>;
  /** Requests a path below the base URL with the credentials of its operation: those of another `key`, or none for null. */
  request: (path: string, init?: RequestInit & { key?: string | null }) => Promise<Response>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** Starts a service with settings, over a new database unless the settings name another. */
export type StartService = (env?: NodeJS.ProcessEnv) => Promise<TestService>;
