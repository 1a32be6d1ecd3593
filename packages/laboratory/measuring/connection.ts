import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A request as sent, and the expected status of its response. */
export interface PreparedRequest {
  bytes: Buffer;
  status: string;
}

const HEAD_END = "\r\n\r\n";

/**
 * A persistent connection with one request at a time. It reads only the status and the length of a response, because a
 * complete HTTP client takes as much CPU as the servers and would distort the measurement.
 */
export class Connection {
  readonly #socket: Socket;
  #receive: (chunk: Buffer) => void = () => {};

  private constructor(port: number) {
    const onread = {
      buffer: Buffer.allocUnsafe(65_536), // reused; a stream would allocate one for each response
      callback: (size: number, buffer: Uint8Array) => {
        this.#receive((buffer as Buffer).subarray(0, size));
        return true;
      },
    };
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
  }

  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.#socket, "connect");
    return connection;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Sends requests one after the other until `next` returns undefined. Adds the milliseconds of each to `latencies`. */
  exchange(next: () => PreparedRequest | undefined, latencies: number[]): Promise<void> {
    return new Promise((done, failed) => {
      let sent: PreparedRequest | undefined;
      let sentAt = 0;
      let begun: Buffer = Buffer.alloc(0);
      const send = (): void => {
        sent = next();
        if (sent === undefined) return done();
        sentAt = performance.now();
        this.#socket.write(sent.bytes);
      };
      this.#receive = (chunk) => {
        const received = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
        if (!isWhole(received)) {
          begun = Buffer.from(received); // a copy, because the next chunk overwrites this one
          return;
        }
        begun = begun.subarray(begun.length);
        const status = received.toString("latin1", 9, 12);
        if (status !== sent!.status) return failed(new Error(`Answered with ${received.toString()}`));
        latencies.push(performance.now() - sentAt);
        send();
      };
      this.#socket.once("error", failed);
      this.#socket.once("close", () => failed(new Error("The server closed the connection.")));
      send();
    });
  }
}

/** Whether these bytes are a complete response (RFC 9112, section 6.3). */
export function isWhole(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return false;
  if (bytes.toString("latin1", 9, 12) === "304") return true;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString("latin1", 0, headEnd))?.[1];
  if (length === undefined) return bytes.toString("latin1", bytes.length - 7) === `\r\n0${HEAD_END}`;
  return bytes.length >= headEnd + HEAD_END.length + Number(length);
}
