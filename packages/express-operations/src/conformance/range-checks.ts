import { essenceOf, isJson, isSequential } from "openapi-document";
import type { Check, Checked } from "./check-maker.ts";
import { ConformanceError, expectHeader, expectStatus, readStart, receive, type Received } from "./exchange.ts";

/**
 * Checks that a GET whose 200 has `Accept-Ranges: bytes` serves ranges (RFC 9110, section 14): 206 with the bytes of the
 * whole, 416, `If-Range`, and the length for HEAD. Operations with JSON and streams alone have no such check.
 */
export function rangeChecks({ entry, runs }: Checked, mediaTypes: string[]): Check[] {
  const types = mediaTypes.map(essenceOf);
  if (entry.method !== "get" || types.every((type) => isJson(type) || isSequential(type))) return [];
  return [
    runs("ranges are served as announced", async (target, valid) => {
      const get: Get = (headers, method = "GET") => {
        const request = { ...valid(), method };
        for (const [name, value] of Object.entries({ "Accept-Encoding": "identity", ...headers }))
          request.headers.set(name, value);
        return receive(target, request, async (response) => {
          const { status, headers: received } = response;
          return { status, headers: received, text: "", ...(await readStart(response)) };
        });
      };
      const whole = await get({});
      const size = sizeOf(whole);
      if (whole.status !== 200 || !/\bbytes\b/i.test(whole.headers.get("Accept-Ranges") ?? "") || size < 2) return;
      try {
        await expectRanges(whole, size, get);
      } catch (error) {
        const again = error instanceof ConformanceError ? await get({}) : whole;
        const isSame = sizeOf(again) === size && again.bytes.equals(whole.bytes);
        if (isSame) throw error; // else each request has another representation
      }
    }),
  ];
}

/** A response, and the start of its body. */
interface Part extends Required<Received> {
  bytes: Buffer;
}

type Get = (headers: Record<string, string>, method?: string) => Promise<Part>;

/** Returns 0 if the size is not known. */
function sizeOf({ headers, bytes, isStart }: Part): number {
  return Number(headers.get("Content-Length") ?? (isStart ? 0 : bytes.length));
}

async function expectRanges(whole: Part, size: number, get: Get): Promise<void> {
  const last = Math.min(size, whole.bytes.length, 1_000) - 1;
  const range = `bytes=1-${last}`;
  const of = async (wanted: string, status: number, ifRange?: string): Promise<Part> => {
    const part = await get({ Range: wanted, ...(ifRange !== undefined && { "If-Range": ifRange }) });
    const condition = ifRange === undefined ? "" : ` with If-Range: ${ifRange}`;
    if (part.status !== status)
      throw new ConformanceError(`expected ${status} for Range: ${wanted}${condition}, got ${part.status}`);
    return part;
  };
  const part = await of(range, 206);
  expectHeader(part, "Content-Range", new RegExp(`^bytes 1-${last}/(?:${size}|\\*)$`));
  if (!part.bytes.equals(whole.bytes.subarray(1, last + 1)))
    throw new ConformanceError(`expected the bytes 1 to ${last} of the whole, got ${part.bytes.length} other bytes`);
  const none = await of(`bytes=${size}-`, 416);
  if (none.headers.has("Content-Range")) expectHeader(none, "Content-Range", new RegExp(`^bytes \\*/${size}$`));
  await of(range, 200, '"no-such-tag"');
  const tag = whole.headers.get("ETag");
  if (tag?.startsWith('"') === true) await of(range, 206, tag);
  const head = await get({}, "HEAD");
  expectStatus(head, 200);
  expectHeader(head, "Content-Length", new RegExp(`^${size}$`));
}
