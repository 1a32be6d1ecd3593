import type { IncomingMessage, Server, ServerResponse } from "node:http";

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** The requests of a server that are being answered. */
export class Exchanges {
  readonly #open = new Set<Exchange>();
  #isDraining = false;

  constructor(server: Server) {
    server.prependListener("request", (request, response) => this.#add({ request, response }));
  }

  /** From now on every answer says `Connection: close`, those included that are being prepared. */
  drain(): void {
    this.#isDraining = true;
    for (const { response } of this.#open) response.shouldKeepAlive = false;
  }

  #add(exchange: Exchange): void {
    if (this.#isDraining) exchange.response.shouldKeepAlive = false;
    this.#open.add(exchange);
    exchange.response.once("close", () => this.#open.delete(exchange));
  }
}
