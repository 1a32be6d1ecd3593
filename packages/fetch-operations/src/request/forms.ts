import { isJson } from "../media-type.ts";
import { chunksOf } from "../parts/size-limit.ts";
import { type BodyWriter, FORM, isStream } from "./body.ts";
import { deepPairs, isPlainObject, styled } from "../parts/styles.ts";
import { textOf } from "./parameter.ts";

/** How a field of a form is written, if not by default: its style, or its media type. */
export type FieldEncoding =
  | { readonly style: Parameters<typeof styled>[0]; readonly explode: boolean; readonly allowReserved?: boolean }
  | { readonly contentType: string };

/**
 * Returns a writer of `application/x-www-form-urlencoded`. An array is one pair for each item, and an object is `name[key]=value`,
 * unless its encoding says otherwise (OpenAPI 3.1, section 4.8.15).
 */
export function urlencoded(encoding: Readonly<Record<string, FieldEncoding>> = {}): BodyWriter {
  return (value, contentType = FORM) => {
    if (value instanceof URLSearchParams) return { body: String(value), contentType };
    const encode = (item: unknown, name: string) => encodeURIComponent(textOf(name, item));
    const pairs = Object.entries(value as object).flatMap(([name, field]: [string, unknown]) => {
      const own = encoding[name];
      const key = encodeURIComponent(name);
      if (own && "style" in own)
        return field === undefined || field === null
          ? []
          : styled(own.style, own.explode, own.allowReserved)(name, field) || [];
      if (own && isJson(own.contentType))
        return field === undefined ? [] : `${key}=${encodeURIComponent(JSON.stringify(field))}`;
      if (!Array.isArray(field)) return deepPairs(key, field, name, encode);
      return field.flatMap((item: unknown, index) =>
        isPlainObject(item) || Array.isArray(item)
          ? deepPairs(`${key}[${index}]`, item, name, encode)
          : deepPairs(key, item, name, encode),
      );
    });
    return { body: pairs.join("&"), contentType };
  };
}

/** A file of a multipart form with its own name and media type. */
export interface FilePart {
  readonly content: Blob | Uint8Array | ReadableStream<Uint8Array> | string;
  readonly filename?: string;
  readonly contentType?: string;
}

/**
 * Returns a writer of `multipart/form-data`. Files are parts of their own, an array is one part for each item, and an object is
 * JSON. A form with a stream is sent as a stream.
 */
export function multipart(encoding: Readonly<Record<string, FieldEncoding>> = {}): BodyWriter {
  return (value) => {
    if (value instanceof FormData) return { body: value, contentType: null };
    const parts = Object.entries(value as object).flatMap(([name, field]: [string, unknown]) => {
      const items: unknown[] = Array.isArray(field) ? field : [field];
      return items
        .filter((item) => item !== undefined && item !== null)
        .map((item) => partOf(name, item, encoding[name]));
    });
    if (parts.some(({ content }) => isStream(content))) return streamOf(parts);
    const form = new FormData();
    for (const { name, content, filename, contentType } of parts) {
      if (typeof content === "string" && filename === undefined && contentType === undefined)
        form.append(name, content);
      else {
        const blob = content as Blob | string; // or bytes
        const type = contentType ?? (blob instanceof Blob ? blob.type : "");
        const file = blob instanceof Blob && blob.type === type ? blob : new Blob([blob], { type });
        if (filename === undefined) form.append(name, file);
        else form.append(name, file, filename);
      }
    }
    return { body: form, contentType: null };
  };
}

interface Part {
  name: string;
  content: FilePart["content"];
  filename: string | undefined;
  contentType: string | undefined;
}

function partOf(name: string, value: unknown, encoding: FieldEncoding | undefined): Part {
  const declared =
    encoding && "contentType" in encoding && !/[*,]/.test(encoding.contentType) ? encoding.contentType : undefined;
  if (value instanceof Blob) {
    const filename = (value as Partial<File>).name ?? "blob"; // as `FormData` does
    return { name, content: value, filename, contentType: declared };
  }
  if (value instanceof Uint8Array || isStream(value))
    return { name, content: value, filename: name, contentType: declared };
  if (isPlainObject(value) && "content" in value && isContent(value["content"])) {
    const { content, filename, contentType } = value as unknown as FilePart;
    return { name, content, filename: filename ?? name, contentType: contentType ?? declared };
  }
  const isStructured = isPlainObject(value) || Array.isArray(value);
  if (isStructured || (declared !== undefined && isJson(declared)))
    return { name, content: JSON.stringify(value), filename: undefined, contentType: declared ?? "application/json" };
  return { name, content: textOf(name, value), filename: undefined, contentType: declared };
}

function isContent(value: unknown): boolean {
  return value instanceof Blob || value instanceof Uint8Array || isStream(value) || typeof value === "string";
}

/** Writes the parts one after the other (RFC 7578), because a `FormData` takes no streams. */
function streamOf(parts: Part[]): ReturnType<BodyWriter> {
  const boundary = `----${crypto.getRandomValues(new Uint32Array(4)).join("")}`;
  const encoder = new TextEncoder();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const { name, content, filename, contentType } of parts) {
      const type = contentType ?? (content instanceof Blob ? content.type : "");
      const isFile = filename !== undefined;
      const lines = [
        `--${boundary}`,
        `Content-Disposition: form-data; name="${escaped(name)}"${isFile ? `; filename="${escaped(filename)}"` : ""}`,
        ...(type || isFile ? [`Content-Type: ${type || "application/octet-stream"}`] : []),
      ];
      yield encoder.encode(`${lines.join("\r\n")}\r\n\r\n`);
      if (typeof content === "string") yield encoder.encode(content);
      else if (content instanceof Uint8Array) yield content;
      else yield* chunksOf(content instanceof Blob ? content.stream() : content);
      yield encoder.encode("\r\n");
    }
    yield encoder.encode(`--${boundary}--\r\n`);
  }
  const iterator = chunks();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return(undefined);
    },
  });
  return { body, contentType: `multipart/form-data; boundary=${boundary}`, duplex: "half" };
}

/** Escapes a name as WHATWG HTML says: https://html.spec.whatwg.org/#multipart-form-data */
function escaped(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
