import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Problem } from "express-operations";
import { problem } from "../problems.ts";

/** The parts of a server's socket that Node does not document. */
export type ServerSocket = Socket & {
  parser: Parser | null;
  /** The response that is being sent. */
  _httpMessage?: ServerResponse | null;
  _handle: { reading: boolean; readStart: () => number; readStop: () => number } | null;
};

interface Parser {
  /** The request that arrives, or that has arrived last. */
  incoming: IncomingMessage | null;
  /** Serves the request whose head is parsed. A result other than 0 stops the parser behind the head. */
  onIncoming: (request: IncomingMessage, keepAlive: boolean) => number;
  resume: () => void;
}

/** A request, with the field that Node sets for CONNECT, and for the header `Upgrade`. */
export type UpgradeRequest = IncomingMessage & { upgrade?: boolean };

/** A result of `onIncoming`, for which the parser stops with the error `HPE_PAUSED`. */
const PAUSE = 21;

/**
 * The requests of a connection, which are served one after the other (RFC 9112, section 9.3.2). While a response is not sent, the
 * next request waits, and nothing is read. Node alone would serve all requests of a read at once: up to 1,800 in 64 KiB. Their
 * responses would stay in memory until the client reads them.
 */
export class Pipeline {
  readonly #socket: ServerSocket;
  readonly #parser: Parser;
  /** Node's own functions: they serve a request and parse input. */
  readonly #serve: Parser["onIncoming"];
  readonly #parse: (input: Buffer) => void;
  /** Whether nothing is read, so that `continue` has to follow the response. */
  isStopped = false;
  #waiting: Parameters<Parser["onIncoming"]> | undefined;
  /** The input behind the head of the waiting request. */
  #rest: Buffer | undefined;

  constructor(socket: ServerSocket) {
    this.#socket = socket;
    this.#parser = socket.parser!;
    this.#serve = this.#parser.onIncoming;
    this.#parse = socket.listeners("data")[0] as (input: Buffer) => void;
  }

  /** Serves a request, or makes it wait, as `onIncoming` of the parser. */
  receive(request: UpgradeRequest, keepAlive: boolean): number {
    const isLast = request.upgrade; // the parser drops what is behind the request, and does not report a pause
    request.upgrade = false; // otherwise Node hands over the socket, without a handler of its errors
    if (!this.#socket._httpMessage && this.#socket.writable) return this.#serve(request, keepAlive);
    this.#waiting = [request, keepAlive];
    if (!isLast) return PAUSE;
    this.stop(Buffer.alloc(0));
    return 0;
  }

  /** Keeps the rest of the input after the parser has stopped, and stops reading. */
  stop(rest: Buffer): void {
    this.#rest = rest;
    this.isStopped = true;
    const handle = this.#socket._handle;
    if (handle === null) return; // the connection is closed
    handle.readStop();
    handle.readStart = () => 0; // Node starts to read again in several cases, such as a response with a body
  }

  /** Goes on after a response: serves the waiting request, now or in a later turn of the event loop, or reads again. */
  continue(): void {
    if (this.#waiting === undefined) this.#read();
    else if (served === MOST_IN_TURN) ready.push(this);
    else {
      if (served++ === 0) setImmediate(endTurn);
      this.#serveWaiting();
    }
  }

  /** Serves the waiting request, and parses the rest of the input up to the next one. */
  #serveWaiting(): void {
    const handle = this.#socket._handle;
    if (handle === null || !this.#socket.writable) return; // the last response has closed the connection
    const [request, keepAlive] = this.#waiting!;
    const rest = this.#rest!;
    this.#waiting = this.#rest = undefined;
    this.#parser.resume();
    this.#serve(request, keepAlive);
    this.#parse(rest);
    // Node ends a connection whose client has ended its side, so the end is read after the last response.
    if (!request.complete) this.#read();
  }

  #read(): void {
    this.isStopped = false;
    const handle = this.#socket._handle;
    if (handle === null || !Object.hasOwn(handle, "readStart")) return; // closed, or not stopped
    Reflect.deleteProperty(handle, "readStart");
    handle.reading = true;
    handle.readStart();
  }
}

/** The number of waiting requests that are served in a turn of the event loop. Other connections are served between. */
const MOST_IN_TURN = 16;

/** The number of them that are served in this turn. */
let served = 0;

/** The pipelines whose waiting request is served in a later turn. */
const ready: Pipeline[] = [];

function endTurn(): void {
  served = 0;
  for (const pipeline of ready.splice(0, MOST_IN_TURN)) pipeline.continue();
}

/** The parts of Node's parser that pass on the pieces of a body. Its constructor names the field of the function. */
interface BodyParser {
  constructor: { kOnBody: number };
  incoming: IncomingMessage | null;
  [field: number]: ((this: BodyParser, piece: Buffer) => void) | undefined;
}

/**
 * A body may arrive in this number of pieces (chunks or segments), plus one for each `BYTES_OF_PIECE` bytes, plus one for each
 * `MS_OF_PIECE` since its first piece. Node takes 2 µs for a piece of any size, so 64 KiB in single bytes would take 150 ms.
 */
const FREE_PIECES = 4_096;
const BYTES_OF_PIECE = 16;
const MS_OF_PIECE = 10;

const TOO_MANY_PIECES = "The request body arrived in too many small chunks. Send larger ones.";

/**
 * Calls `refuse` once if a body arrives in too many small pieces, and ends the parsing of that body. Streams of short lines or of
 * rare bytes stay below the limit.
 */
export function limitPieces(socket: ServerSocket, refuse: (fault: Problem) => void): void {
  const parser = socket.parser as unknown as BodyParser;
  const { kOnBody } = parser.constructor;
  const pass = parser[kOnBody]!;
  let incoming: IncomingMessage | null = null;
  let pieces = 0;
  let bytes = 0;
  let since = 0;
  const isWithinLimit = (piece: Buffer): boolean => {
    if (incoming !== parser.incoming) {
      incoming = parser.incoming;
      pieces = bytes = 0;
      since = performance.now();
    }
    bytes += piece.length;
    const most = FREE_PIECES + bytes / BYTES_OF_PIECE;
    return ++pieces <= most || pieces <= most + (performance.now() - since) / MS_OF_PIECE;
  };
  parser[kOnBody] = (piece) => {
    if (isWithinLimit(piece)) return pass.call(parser, piece);
    parser[kOnBody] = undefined; // Node then skips further pieces, also those that it has already read
    refuse(problem("invalid_request", undefined, TOO_MANY_PIECES));
  };
  // Node uses the parser again for other connections, and frees it at the same event.
  socket.prependOnceListener("close", () => (parser[kOnBody] = pass));
}
