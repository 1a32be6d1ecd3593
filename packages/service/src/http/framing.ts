import type { IncomingMessage } from "node:http";
import type { Problem } from "express-operations";
import { problem } from "../problems.ts";
import type { ServerSocket } from "./pipeline.ts";

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
