import {
  areArguments,
  essenceOf,
  isJson,
  isJsonSequence,
  type MediaTypeObject,
  type OpenApiDocument,
  type Reference,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
  type Schema,
} from "openapi-document";
import type { StatusKey } from "../operation.ts";
import { typesOfSchema } from "../contract/schema-types.ts";

/** How the client reads and writes a media type. */
export type MediaKind = "json" | "text" | "form" | "multipart" | "events" | "lines" | "sequence" | "binary" | "any";

export function kindOf(mediaType: string): MediaKind {
  const type = essenceOf(mediaType);
  if (type === "text/event-stream") return "events";
  if (
    /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(type) ||
    /^application\/(?:.*\+)?jsonl$/.test(type)
  )
    return "lines";
  if (isJsonSequence(type)) return "sequence";
  if (isJson(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "multipart/form-data") return "multipart";
  if (type === "*/*" || type === "application/*") return "any";
  if (/^text\/|^application\/(?:.*\+)?(?:xml|yaml|x-yaml|javascript|graphql|sql)$|\+(?:xml|yaml)$/.test(type))
    return "text";
  return "binary";
}

/** A declared media type. */
export interface Media {
  type: string;
  kind: MediaKind;
  object: MediaTypeObject;
}

function mediaOf(content: Record<string, MediaTypeObject>): Media[] {
  return Object.entries(content).map(([type, object]) => ({ type, kind: kindOf(type), object }));
}

/** The body of a request. */
export interface RequestBody {
  isRequired: boolean;
  /** Whether the fields of the body are arguments. */
  hasFields: boolean;
  requiredFields: number;
  /** The name of the first field, if the fields are arguments, and whether it is required. */
  firstField: { name: string; isRequired: boolean } | undefined;
  /** The declared media types. JSON comes first, because it is the default. */
  media: Media[];
}

/** Describes a body. Its fields are arguments if all are declared, and none has the name of a parameter. */
export function bodyOf(
  document: OpenApiDocument,
  { required = false, content = {} }: RequestBodyObject,
  parameters: string[],
  refuse: (problem: string) => never,
): RequestBody | undefined {
  const media = mediaOf(content).toSorted((one, other) => Number(other.kind === "json") - Number(one.kind === "json"));
  if (media.length === 0) return undefined;
  const stream = media.find(({ kind }) => kind === "events");
  if (stream) refuse(`has a request body of ${stream.type}, which the client does not send.`);
  const [only] = media;
  const schema = resolve<Schema>(document, only!.object.schema ?? {});
  const hasFields = required && media.length === 1 && only!.kind === "json" && areArguments(schema, parameters);
  const fields = (schema["required"] ?? []) as string[];
  const [name] = hasFields ? Object.keys(schema["properties"] ?? {}) : [];
  const firstField = name === undefined ? undefined : { name, isRequired: fields.includes(name) };
  return { isRequired: required, hasFields, requiredFields: hasFields ? fields.length : 0, firstField, media };
}

/** A declared response. */
export interface DeclaredResponse {
  key: StatusKey;
  /** The key as the contract spells it. */
  declaredKey: string;
  /** Whether it is a success. `default` is one if the contract declares no other. */
  isSuccess: boolean;
  /** The declared media types, none for a response without a body. */
  media: Media[];
  /** Whether it declares the header `Link`. */
  hasLink: boolean;
  /** Whether its JSON may be `null`. */
  isNullable: boolean;
}

/** Describes the responses of an operation. Responses of HEAD have no body. */
export function responsesOf(
  document: OpenApiDocument,
  responses: Record<string, ResponseObject | Reference>,
  method: string,
): DeclaredResponse[] {
  const keys = Object.keys(responses).filter((key) => /^(?:[1-5]\d\d|[1-5]XX|default)$/i.test(key));
  const hasSuccess = keys.some((key) => key.startsWith("2"));
  return keys.map((declaredKey) => {
    const { content = {}, headers = {} } = resolve<ResponseObject>(document, responses[declaredKey]!);
    const key = (
      /^\d{3}$/.test(declaredKey)
        ? Number(declaredKey)
        : declaredKey === "default"
          ? "default"
          : declaredKey.toUpperCase()
    ) as StatusKey;
    const hasBody = method !== "HEAD" && !([204, 205, 304] as StatusKey[]).includes(key);
    const media = mediaOf(hasBody ? content : {});
    const isNullable = media.some(({ kind, object }) => {
      const types = kind === "json" || kind === "any" ? typesOfSchema(document, object.schema) : new Set();
      return types.has("null") || types.has("any");
    });
    return {
      key,
      declaredKey,
      isSuccess: declaredKey.startsWith("2") || (declaredKey === "default" && !hasSuccess),
      media,
      hasLink: Object.keys(headers).some((name) => name.toLowerCase() === "link"),
      isNullable,
    };
  });
}
