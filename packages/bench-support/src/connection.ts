import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A request as it goes over the wire, and the status that its answer has to have. */
export interface PreparedRequest {
  bytes: Buffer;
  status: string;
}

const HEAD_END = "\r\n\r\n";

/**
 * A kept connection that has one request under way at a time. It reads of an answer its status and its length alone:
 * complete HTTP clients need as much of the processor as the servers measured, and would be what is measured.
 */
export class Connection {
  readonly #socket: Socket;
  #receive: (chunk: Buffer) => void = () => {};

  private constructor(port: number) {
    const onread = {
      buffer: Buffer.allocUnsafe(65_536), // used again and again, where a stream would make a new one for each answer
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

  /** Sends one request after another until there is none; adds to `latencies` how long each answer took, in milliseconds. */
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
          begun = Buffer.from(received); // a copy: the next chunk is written over this one
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

/** Whether these are the bytes of an answer from its first to its last (RFC 9112, section 6.3). */
function isWhole(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return false;
  if (bytes.toString("latin1", 9, 12) === "304") return true;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString("latin1", 0, headEnd))?.[1];
  if (length === undefined) return bytes.toString("latin1", bytes.length - 7) === `\r\n0${HEAD_END}`;
  return bytes.length >= headEnd + HEAD_END.length + Number(length);
}
