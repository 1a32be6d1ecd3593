declare module "swagger-client/es/execute/index.js" {
  /** Builds a request, as Swagger UI sends it. */
  export function buildRequest(options: {
    spec: object;
    operationId: string;
    server: string;
    parameters: Record<string, unknown>;
  }): { url: string; headers: Record<string, unknown> };
}
