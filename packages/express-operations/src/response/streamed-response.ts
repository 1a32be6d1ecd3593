import type { StreamedBody } from "./body-stream.ts";
import type { ItemFormat } from "./item-format.ts";
import type { DropUndeclared, HandlerResponse } from "./handler-response.ts";

/** The items of one response: how they are checked, filtered and written. */
export interface ItemWriter {
  isEventStream: boolean;
  /** Returns an item as text. Returns a promise only if the items of the response are checked. */
  write: (item: unknown) => string | Promise<string>;
}

/** A response whose body is sent while it is produced. */
export class StreamedResponse {
  readonly status: number;
  readonly headers: NonNullable<HandlerResponse["headers"]>;
  readonly contentType: string;
  readonly body: StreamedBody;
  /** Undefined if the media type has no items. The body is then bytes and text. */
  readonly items: ItemWriter | undefined;

  constructor({ status, headers, contentType, body, items }: StreamedResponse) {
    this.status = status;
    this.headers = headers;
    this.contentType = contentType;
    this.body = body;
    this.items = items;
  }
}

/** Returns the writer of a response's items. `check` reports the violations of an item. */
export function itemWriter(
  format: ItemFormat & { filter: DropUndeclared },
  check: ((index: number, value: unknown) => Promise<void>) | undefined,
): ItemWriter {
  let index = 0;
  return {
    isEventStream: format.isEventStream,
    write: (item) => {
      const value = format.valueOf(item);
      const encode = (): string => format.encode(item, format.filter(value));
      const at = index++;
      return value === undefined || check === undefined ? encode() : check(at, value).then(encode);
    },
  };
}
