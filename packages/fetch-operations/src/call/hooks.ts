import type { Part } from "./exchange.ts";
import { dispatch } from "./send-built.ts";

/** Calls `onRequest` before each attempt and `onResponse` with each response. */
export const hooks: Part = {
  options: ["onRequest", "onResponse"],
  observe: async (exchange, request) => {
    const { connection, operation, count } = exchange;
    const { onRequest, onResponse } = connection.options();
    if (!onRequest && !onResponse) return dispatch(exchange, request);
    const { url, init } = request;
    const event = { operationId: operation.id, attempt: count, method: operation.method, url };
    await onRequest?.({ ...event, headers: init.headers });
    const start = performance.now();
    const response = (exchange.response = await dispatch(exchange, request));
    await onResponse?.({ ...event, duration: performance.now() - start, response });
    return response;
  },
};
