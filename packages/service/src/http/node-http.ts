/**
 * What is used of Node's `http`. An `import` of it would read all that the module exports, and so load its WebSocket, which
 * is most of what the module costs at the start.
 */
export const { createServer, get, IncomingMessage, METHODS, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule("node:http");
