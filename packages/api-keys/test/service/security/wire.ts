import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A raw request, which nothing corrects as `fetch` would. */
export interface WireRequest {
  method: string;
  /** The target in the request line. */
  target: string;
  headers: [name: string, value: string][];
  body?: Buffer | string | undefined;
}

/** The response, without interim responses (1xx). */
export interface WireAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const CRLF2 = "\r\n\r\n";
const DEADLINE_MS = 10_000;

/** Returns the bytes of a request. Adds Content-Length for a body unless the headers define its framing. */
export function bytesOf({ method, target, headers, body = "" }: WireRequest): Buffer {
  const isFramed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const length = Buffer.byteLength(body);
  const framing: [string, string][] = isFramed || length === 0 ? [] : [["Content-Length", String(length)]];
  const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1"),
    Buffer.from(body as string),
  ]);
}

/** A connection that is kept while the server keeps it. One request at a time. */
export class Wire implements Disposable {
  readonly #at: URL;
  #socket: Socket | undefined;

  /** `at` is any URL of the server. */
  constructor(at: string) {
    this.#at = new URL(at);
  }

  async send(request: WireRequest): Promise<WireAnswer> {
    return this.sendBytes(bytesOf(request), request.method === "HEAD");
  }

  /** Rejects if there is not exactly one response. `isLast` means that no request follows, as after an incomplete request. */
  async sendBytes(bytes: Buffer, isHead: boolean, isLast = false): Promise<WireAnswer> {
    if (this.#socket?.destroyed !== false) this.#socket = await this.#connect();
    const socket = this.#socket;
    const reader = answerOn(socket, isHead, isLast);
    if (isLast) socket.end(bytes);
    else socket.write(bytes);
    const { answer, isClosing } = await reader;
    if (isLast || isClosing || socket.destroyed) this[Symbol.dispose]();
    return answer;
  }

  [Symbol.dispose](): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #connect(): Promise<Socket> {
    const socket = connect(Number(this.#at.port), this.#at.hostname).setNoDelay();
    await once(socket, "connect");
    // A server may close the connection after its response, while the request is still being sent.
    socket
      .on("error", () => {})
      .once("close", () => {
        if (this.#socket === socket) this.#socket = undefined;
      });
    return socket;
  }
}

/** Reads one response (RFC 9112, section 6). */
function answerOn(
  socket: Socket,
  isHead: boolean,
  isLast: boolean,
): Promise<{ answer: WireAnswer; isClosing: boolean }> {
  return new Promise((resolve, reject) => {
    let text = "";
    const end = (act: () => void) => {
      clearTimeout(timer);
      socket.off("data", read).off("close", closed);
      act();
    };
    const fail = (why: string) => {
      socket.destroy();
      end(() => reject(new Error(`${why}: ${JSON.stringify(text.slice(0, 500))}`)));
    };
    const timer = setTimeout(fail, DEADLINE_MS, `no whole answer in ${DEADLINE_MS} ms`);
    const closed = () => fail("closed without a whole answer");
    const read = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      while (text.startsWith("HTTP/1.1 1") && text.includes(CRLF2))
        text = text.slice(text.indexOf(CRLF2) + CRLF2.length);
      const [head, ...rest] = text.split(CRLF2);
      if (rest.length === 0 || head === undefined) return;
      const { status, headers } = parseHead(head);
      const isClosing = headers.get("Connection") === "close";
      const body = rest.join(CRLF2);
      // A request that Node's parser rejected was not known to be HEAD.
      const isUnread = !headers.has("X-Request-Id") && body !== "";
      const bodyless = (isHead && !isUnread) || status === 204 || status === 304;
      const length = bodyless ? 0 : Number(headers.get("Content-Length") ?? NaN);
      if (Number.isNaN(length)) return fail("an answer without a length");
      if (body.length > length && !isLast) return fail("more than one answer");
      if (body.length < length) return;
      const answer = { status, headers, text: Buffer.from(body.slice(0, length), "latin1").toString("utf8") };
      end(() => resolve({ answer, isClosing }));
    };
    socket.on("data", read).once("close", closed);
  });
}

function parseHead(head: string): Pick<WireAnswer, "status" | "headers"> {
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]), headers };
}
