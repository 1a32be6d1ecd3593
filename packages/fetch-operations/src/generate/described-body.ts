import {
  areArguments,
  type MediaTypeObject,
  type OpenApiDocument,
  type RequestBodyObject,
  resolve,
  type Schema,
} from "openapi-document";
import { kindOf, type MediaKind } from "./media.ts";

/** The body of a request. */
export interface DescribedBody {
  isRequired: boolean;
  /** Whether the fields of the body are arguments. */
  hasFields: boolean;
  requiredFields: number;
  /** The name of the first field, if the fields are arguments, and whether it is required. */
  firstField: { name: string; isRequired: boolean } | undefined;
  /** The declared media types. JSON comes first, because it is the default. */
  media: { type: string; kind: MediaKind; object: MediaTypeObject }[];
}

/** Describes a body. Its fields are arguments if all are declared, and none has the name of a parameter. */
export function describedBody(
  document: OpenApiDocument,
  { required = false, content = {} }: RequestBodyObject,
  parameters: string[],
  refuse: (problem: string) => never,
): DescribedBody | undefined {
  const media = Object.entries(content)
    .map(([type, object]) => ({ type, kind: kindOf(type), object }))
    .toSorted((one, other) => Number(other.kind === "json") - Number(one.kind === "json"));
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
