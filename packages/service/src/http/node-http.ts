/**
 * The exports of `node:http` that the service uses. A plain `import` reads every export of the module, `WebSocket` included.
 * Loading `WebSocket` takes most of the module's start-up time.
 */
export const {
  createServer,
  get,
  IncomingMessage,
  METHODS,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} = process.getBuiltinModule("node:http");
