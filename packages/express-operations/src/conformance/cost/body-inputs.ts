import {
  type OpenApiDocument,
  type OperationEntry,
  type RequestBodyObject,
  resolve,
  effectiveSchema,
  propertiesOf,
  essenceOf,
  isJson,
} from "openapi-document";
import { exampleValue, withoutReadOnly } from "../../example/example-value.ts";
import { firstExample } from "../../example/given-values.ts";
import { isForm, sentAs } from "../request-body.ts";
import { bracketFillings, counted, enclosed, type Filling, repeated, URL_TEXTS } from "./fillings.ts";
import { jsonInputs } from "./json-inputs.ts";
import { BOUNDARY, multipartInputs } from "./multipart-inputs.ts";

type Media = NonNullable<RequestBodyObject["content"]>[string];

/** Returns large bodies in each media type that the operation accepts. */
export function bodyInputs(document: OpenApiDocument, entry: OperationEntry): (Filling & { contentType: string })[] {
  if (entry.method === "get" || entry.method === "head") return [];
  const { content = {} } = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  return Object.entries(content).flatMap(([declared, media]) => {
    const essence = essenceOf(sentAs(declared));
    const contentType = essence.startsWith("multipart/") ? `${essence}; boundary=${BOUNDARY}` : sentAs(declared);
    return inputsOf(document, essence, media).map(({ title, fill }) => ({
      title: `${essence} ${title}`,
      fill,
      contentType,
    }));
  });
}

function inputsOf(document: OpenApiDocument, essence: string, media: Media): Filling[] {
  const { schema = {} } = media;
  const fields = Object.keys(propertiesOf(effectiveSchema(document, schema)));
  if (isJson(essence)) return jsonInputs(document, schema, exampleOf(document, media));
  if (essence.startsWith("multipart/")) return multipartInputs(fields);
  if (isForm(essence)) return [...fields, "undeclared"].flatMap(formInputs);
  return ["a", " ", "\u00E9", "<a>", "<", "{", "\r\n"].map((text) => ({ title: `${text}…`, fill: repeated(text) }));
}

function formInputs(name: string): Filling[] {
  return [
    ...URL_TEXTS.map((text) => ({ title: `${name}=${text}${text}…`, fill: enclosed(`${name}=`, repeated(text)) })),
    ...bracketFillings(name, "[", "]"),
    { title: `${name}0=1&${name}1=1&…`, fill: counted((count) => `${name}${count}=1`, "&") },
    { title: `${name}=1&${name}=1&…`, fill: repeated(`${name}=1&`) },
  ];
}

function exampleOf(document: OpenApiDocument, { schema = {}, example, examples }: Media): unknown {
  try {
    const given = example ?? firstExample(document, examples) ?? exampleValue(document, schema, "");
    return withoutReadOnly(document, schema, given);
  } catch {
    return {};
  }
}
