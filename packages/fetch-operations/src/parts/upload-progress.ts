import { type Fetch, programErrors, sendBy, withUrl } from "../fetch.ts";

/** How much of a request's body has been sent, in bytes. */
export interface UploadProgress {
  /** The bytes that the connection has taken so far. */
  loaded: number;
  /** The bytes of the whole body; undefined if they are not known. */
  total: number | undefined;
}

/** Outside of browsers, the next bytes are sent once its promise, if any, resolves. */
type OnProgress = (progress: UploadProgress) => unknown;

/** The most bytes that are reported at once outside of browsers. */
const PART = 65_536;

/**
 * Returns a `fetch` that reports how much of each body has been sent. It belongs next to the platform's `fetch`, inside of `retry` and
 * the others; each attempt begins at 0. An error of `onProgress` ends the request, which rejects with it and is not retried.
 *
 * Outside of browsers, a body is sent as a stream. The request's header `Content-Length` is the `total`, and is kept (Deno drops it). Without
 * the header, `total` is undefined, and HTTP/1.1 sends the body in chunks (RFC 9112, section 7.1).
 *
 * In browsers, whose `fetch` reports nothing, an XMLHttpRequest sends the body in place of `fetch`. The response arrives as a whole. A
 * redirect rejects, after the browser has followed it, unless the request allows it. Another origin needs CORS with preflight. Of the
 * request's options, `cache`, `integrity`, `keepalive` and `referrer` have no effect, and a body without credentials for the page's own
 * origin is sent by `fetch`, unreported.
 */
export function uploadProgress(fetch: Fetch, onProgress: OnProgress): Fetch {
  return async (request, init) => {
    const sent = init?.body == null && typeof XMLHttpRequest === "undefined" ? request : new Request(request, init);
    // Firefox has no `body` of requests.
    if (sent.body === null || /^(?:GET|HEAD)$/.test(sent.method)) return sendBy(fetch, request, init);
    if (typeof XMLHttpRequest !== "undefined") {
      const isAnonymous = sent.credentials === "omit" && new URL(sent.url).origin === globalThis.location?.origin;
      return isAnonymous ? fetch(sent) : sendByXhr(sent, onProgress);
    }
    // A body of `init` has brought its Content-Type.
    const headers = new Headers(sent === request ? (init?.headers ?? sent.headers) : sent.headers);
    const length = headers.get("Content-Length");
    const upload: Upload = { isSent: false };
    const body = reported(sent.body, length === null ? undefined : Number(length), onProgress, upload);
    try {
      const response = await sendBy(fetch, request, { ...init, headers, body, duplex: "half" } as RequestInit);
      return upload.isSent || response.body === null ? response : failingWith(upload, response);
    } catch (error) {
      throw upload.error ?? error;
    }
  };
}

interface Upload {
  isSent: boolean;
  /** The error of `onProgress`. */
  error?: Error;
}

/** Returns the error of a program's own function, marked as such. */
function ofProgram(error: unknown): Error {
  const own = Object(error) === error ? (error as Error) : new Error("onProgress threw no Error.", { cause: error });
  programErrors.add(own);
  return own;
}

/** Returns a response that has begun before the end of its request, and whose body fails as the request does. */
function failingWith(upload: Upload, response: Response): Response {
  const reader = response.body!.getReader();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await reader.read().catch((error) => {
      throw upload.error ?? error;
    });
    if (upload.error) throw upload.error;
    if (done) controller.close();
    else controller.enqueue(value);
  };
  const body = new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
  return withUrl(new Response(body, response), response.url);
}

/** Returns a body that reports each part as soon as the connection takes it. */
function reported(
  body: ReadableStream<Uint8Array>,
  total: number | undefined,
  onProgress: OnProgress,
  upload: Upload,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let rest = new Uint8Array();
  let loaded = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    while (rest.length === 0) {
      const { done, value } = await reader.read();
      if (done) {
        upload.isSent = true;
        return controller.close();
      }
      rest = value as typeof rest;
    }
    const part = rest.subarray(0, PART);
    rest = rest.subarray(PART);
    controller.enqueue(part);
    loaded += part.length;
    try {
      await onProgress({ loaded, total });
    } catch (error) {
      upload.error = ofProgram(error);
      reader.cancel(upload.error).catch(() => {});
      throw upload.error;
    }
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

async function sendByXhr(request: Request, onProgress: OnProgress): Promise<Response> {
  const { credentials, headers, method, redirect, signal, url } = request;
  const body = await request.blob();
  signal.throwIfAborted();
  const xhr = new XMLHttpRequest();
  const abort = () => xhr.abort();
  try {
    return await new Promise<Response>((resolve, reject) => {
      xhr.open(method, url);
      for (const [name, value] of headers) xhr.setRequestHeader(name, value);
      xhr.withCredentials = credentials === "include";
      xhr.responseType = "blob";
      const report = async (loaded: number): Promise<void> => {
        try {
          await onProgress({ loaded, total: body.size });
        } catch (error) {
          reject(ofProgram(error));
          xhr.abort();
        }
      };
      xhr.upload.addEventListener("progress", ({ loaded }) => void report(loaded));
      xhr.addEventListener("abort", () => reject(signal.reason as Error));
      xhr.addEventListener("error", () => reject(new TypeError("The network request failed.")));
      xhr.addEventListener("load", () => {
        if (redirect !== "follow" && xhr.responseURL !== url.replace(/#.*/, ""))
          reject(new TypeError("The network request was redirected."));
        else resolve(responseOf(xhr));
      });
      signal.addEventListener("abort", abort);
      xhr.send(body);
    });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function responseOf(xhr: XMLHttpRequest): Response {
  const { status, statusText } = xhr;
  const lines = xhr.getAllResponseHeaders().trim().split("\r\n").filter(Boolean);
  const headers = lines.map((line) => /^([^:]+): ?(.*)$/.exec(line)!.slice(1) as [string, string]);
  // No program can construct a response with these statuses and a body.
  const body = [204, 205, 304].includes(status) ? null : (xhr.response as Blob);
  return withUrl(new Response(body, { status, statusText, headers }), xhr.responseURL);
}
