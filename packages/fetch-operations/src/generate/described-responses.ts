import {
  type MediaTypeObject,
  type OpenApiDocument,
  type Reference,
  resolve,
  type ResponseObject,
} from "openapi-document";
import type { StatusKey } from "../operation.ts";
import { typesOfSchema } from "../contract/schema-types.ts";
import { kindOf, type MediaKind } from "./media.ts";

/** A declared response. */
export interface DescribedResponse {
  key: StatusKey;
  /** The key as the contract spells it. */
  declaredKey: string;
  /** Whether it is a success. `default` is one if the contract declares no other. */
  isSuccess: boolean;
  /** The declared media types, none for a response without a body. */
  media: { type: string; kind: MediaKind; object: MediaTypeObject }[];
  /** Whether it declares the header `Link`. */
  hasLink: boolean;
  /** Whether its JSON may be `null`. */
  isNullable: boolean;
}

/** Describes the responses of an operation. Responses of HEAD have no body. */
export function describedResponses(
  document: OpenApiDocument,
  responses: Record<string, ResponseObject | Reference>,
  method: string,
): DescribedResponse[] {
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
    const media = Object.entries(hasBody ? content : {}).map(([type, object]) => ({
      type,
      kind: kindOf(type),
      object,
    }));
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
