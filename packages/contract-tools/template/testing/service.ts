/** In place of the start of a service for its tests. */
export declare function startService(): Promise<AsyncDisposable & { request: typeof fetch }>;
