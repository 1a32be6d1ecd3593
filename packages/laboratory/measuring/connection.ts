import { connect, type Socket } from "node:net";

const HEAD_END = "\r\n\r\n";
const EMPTY: Buffer = Buffer.alloc(0);
/** The buffer that every connection reads into; a stream would allocate one for each response. */
const SHARED: Buffer = Buffer.allocUnsafe(65_536);

/** The listeners of a connection. */
export interface Events {
  /** A response has arrived as a whole. `sentAt` is the time of its request, of `performance.now()`. */
  answered: (connection: Connection, sentAt: number, status: number) => void;
  closed: (connection: Connection) => void;
}

/**
 * A persistent connection with one request at a time. It reads only the status and the length of a response, because a
 * complete HTTP client takes as much CPU as the servers and would distort the measurement.
 */
export class Connection {
  /** When the request was sent that is not answered yet. */
  sentAt: number | undefined;
  /** Resolves when the connection is open, or has failed. */
  readonly connected: Promise<unknown>;
  readonly #socket: Socket;

  constructor(port: number, events: Events) {
    let begun = EMPTY;
    const receive = (chunk: Buffer): void => {
      const received = begun === EMPTY ? chunk : Buffer.concat([begun, chunk]);
      const { sentAt } = this;
      if (sentAt === undefined || !isWhole(received)) {
        begun = Buffer.from(received); // a copy, because the next chunk overwrites this one
        return;
      }
      begun = EMPTY;
      this.sentAt = undefined;
      events.answered(this, sentAt, Number(received.toString("latin1", 9, 12)));
    };
    const onread = {
      buffer: SHARED,
      callback: (size: number, buffer: Uint8Array) => {
        receive((buffer as Buffer).subarray(0, size));
        return true;
      },
    };
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
    this.connected = new Promise((done) => this.#socket.once("connect", done).once("close", done));
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => events.closed(this));
  }

  send(request: string | Buffer): void {
    this.sentAt = performance.now();
    this.#socket.write(request);
  }

  /** Leaves without a report. */
  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }
}

/** Whether these bytes are a complete response (RFC 9112, section 6.3). */
function isWhole(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString("latin1", 0, headEnd))?.[1];
  if (length === undefined) return bytes.toString("latin1", bytes.length - 7) === `\r\n0${HEAD_END}`;
  return bytes.length >= headEnd + HEAD_END.length + Number(length);
}

/** Sends a request and resolves with the complete response, a character for each byte. */
export async function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request.replace("\r\n", "\r\nConnection: close\r\n"));
  return Buffer.concat(await socket.toArray()).toString("latin1");
}
