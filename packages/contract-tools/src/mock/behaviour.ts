import { Problem } from "express-operations";
import { validValue } from "express-operations/conformance";
import {
  effectiveSchema,
  isRecord,
  type OpenApiDocument,
  type OperationEntry,
  propertiesOf,
  resolve,
  responseKey,
  type ResponseObject,
  type Schema,
} from "openapi-document";
import { Collection, type Member, type Resource, resourceOf, type Role } from "./collection.ts";
import { randomNumbers } from "./conditions.ts";
import { type MockResponse, exampleResponse, successResponse, successStatus } from "./examples.ts";

/** The parts of a validated request that the mock uses. */
export interface MockInput {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  body?: unknown;
  requestPath: string;
  /** The header `Accept`. */
  accept?: string | undefined;
}

/** Resolves to the response of an operation. */
export type Behaviour = (input: MockInput) => Promise<MockResponse>;

/** The data of the mock, by the path of the collection. */
export type Collections = Map<string, Promise<Collection>>;

interface CollectionRequest {
  document: OpenApiDocument;
  entry: OperationEntry;
  resource: Resource;
  collection: Collection;
  input: MockInput;
}

/** Changes the collection and returns the response, by role of the operation. */
const BEHAVIOURS: Record<Role, (work: CollectionRequest) => Promise<MockResponse>> = {
  list,
  create: async (work) => {
    const response = await responseOf(work);
    const added = await work.collection.add(await withRequiredFields(work, bodyOf(work.input)));
    return isRecord(response.body) ? { ...response, body: await declaredFields(work, added) } : response;
  },
  fetch: (work) => memberResponse(work, work.collection.find(idOf(work.input))),
  replace: async (work) => {
    const { collection, input } = work;
    return memberResponse(work, collection.put(idOf(input), await withRequiredFields(work, bodyOf(input))));
  },
  change: (work) => {
    const { collection, input } = work;
    const id = idOf(input);
    return memberResponse(
      work,
      collection.put(id, { ...collection.find(id), ...fieldsIn(work.resource.member, bodyOf(input)) }),
    );
  },
  remove: (work) => memberResponse(work, work.collection.remove(idOf(work.input))),
};

/** Returns the behaviour of an operation: that of the collection in its path, or else the example of its success. */
export function behaviourOf(
  document: OpenApiDocument,
  entries: OperationEntry[],
  entry: OperationEntry,
  collections: Collections,
): Behaviour {
  const found = resourceOf(document, entries, entry);
  const respondsWithMember = [successSchema(document, entry).type ?? "object"].flat().includes("object");
  if (found === undefined || (found.role !== "list" && !respondsWithMember))
    return ({ accept }) => successResponse(document, entry, { accept });
  const { resource, role } = found;
  return async (input) => {
    const path = role === "list" || role === "create" ? input.requestPath : input.requestPath.replace(/\/[^/]*$/, "");
    const collection = collections.get(path) ?? newCollection(document, resource);
    collections.set(path, collection);
    return BEHAVIOURS[role]({ document, entry, resource, collection: await collection, input });
  };
}

/** Creates a collection with the members in the example of its list operation. */
async function newCollection(
  document: OpenApiDocument,
  { list: entry, member, idField, envelope }: Resource,
): Promise<Collection> {
  const { body } = await successResponse(document, entry, { accept: "application/json" });
  const members = envelope === undefined ? body : await membersIn(document, entry, body as Member, envelope);
  const idSchema = firstChoice(document, effectiveSchema(document, propertiesOf(member)[idField]));
  const random = randomNumbers(0);
  return new Collection(idField, idSchema, members as Member[], () =>
    validValue(document, idSchema, "an id", { random }),
  );
}

/** Returns the members in the envelope of a list. If its example has none, they are made, since `minItems` may require some. */
async function membersIn(
  document: OpenApiDocument,
  entry: OperationEntry,
  body: Member,
  envelope: string,
): Promise<unknown> {
  const schema = propertiesOf(successSchema(document, entry))[envelope];
  return body[envelope] ?? (await validValue(document, schema ?? {}, `the field "${envelope}"`));
}

/** Returns a schema whose values the first member of each `oneOf` and `anyOf` allows. */
function firstChoice(document: OpenApiDocument, { oneOf, anyOf, ...rest }: Schema): Schema {
  const [member] = (oneOf ?? anyOf ?? []) as Schema[];
  return member === undefined ? rest : firstChoice(document, effectiveSchema(document, { allOf: [rest, member] }));
}

/** Lists members. Query parameters with the name of a field filter by it; `limit`, `cursor` and `Link` paginate. */
async function list(work: CollectionRequest): Promise<MockResponse> {
  const { document, entry, resource, collection } = work;
  const { query, requestPath } = work.input;
  const response = await responseOf(work);
  if (typeof response.body !== "object") return response; // text, such as CSV
  const fields = propertiesOf(resource.member);
  const filter = Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(fields, name)));
  const isPaged = declaresLink(document, entry) && entry.parameters.some(({ name }) => name === "cursor");
  const { limit, cursor } = query as { limit?: number; cursor?: string };
  const page = isPaged ? collection.page(filter, limit, cursor) : collection.page(filter, limit);
  if (page === undefined)
    throw new Problem(
      400,
      "invalid_request",
      'Query parameter "cursor" is not a cursor returned by this mock. Start again without it.',
    );
  const total = () => collection.page(filter)!.members.length;
  const body = enveloped(response.body, resource, page.members, total);
  if (!isPaged) return { ...response, body };
  const headers = Object.fromEntries(Object.entries(response.headers ?? {}).filter(([name]) => !/^link$/i.test(name)));
  if (page.cursor === undefined) return { ...response, headers, body };
  const next = new URLSearchParams({ ...(query as Record<string, string>), cursor: page.cursor }).toString();
  return {
    ...response,
    headers: { ...headers, Link: `<${requestPath}?${next}>; rel="next"` },
    body,
  };
}

/** Puts members into the envelope of the list, and their number into its fields for a number of members. */
function enveloped(example: unknown, { envelope }: Resource, members: Member[], total: () => number): unknown {
  if (envelope === undefined) return members;
  const others = Object.entries(example as object).map(([name, value]: [string, unknown]) => {
    if (typeof value !== "number") return [name, value];
    if (/^(?:total|total_?count|total_?items|total_?results)$/i.test(name)) return [name, total()];
    return [name, /^count$/i.test(name) ? members.length : value];
  });
  return { ...(Object.fromEntries(others) as object), [envelope]: members };
}

async function memberResponse(work: CollectionRequest, member: Member | undefined): Promise<MockResponse> {
  const { document, entry, input } = work;
  if (member !== undefined) {
    const response = await responseOf(work);
    return isRecord(response.body) ? { ...response, body: await declaredFields(work, member) } : response;
  }
  const response = await exampleResponse(document, entry, 404, { accept: input.accept });
  if (response === undefined) throw new Problem(404, "not_found", "There is no such member.");
  return response;
}

function responseOf({ document, entry, input: { accept } }: CollectionRequest): Promise<MockResponse> {
  return successResponse(document, entry, { accept });
}

/** Returns the fields of a member that the response of this operation has, which may be others than those in the list. */
function declaredFields(work: CollectionRequest, member: Member): Promise<Member> {
  const schema = successSchema(work.document, work.entry);
  return withRequired(work, schema, fieldsIn(schema, member));
}

/** Returns the fields that a schema may have: a creation may accept some that no response returns. */
function fieldsIn(schema: Schema, given: Member): Member {
  if (schema["additionalProperties"] !== false) return given;
  const fields = propertiesOf(schema);
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(fields, name)));
}

/** Adds the required fields that the client does not send. */
function withRequiredFields(work: CollectionRequest, body: Member): Promise<Member> {
  return withRequired(work, work.resource.member, fieldsIn(work.resource.member, body));
}

/** Adds the required fields of a schema, from the example of the operation or made. Clients may have sent what it forbids. */
async function withRequired({ document, entry }: CollectionRequest, schema: Schema, given: Member): Promise<Member> {
  const { body } = await successResponse(document, entry);
  const example = isRecord(body) ? body : {};
  const missing = ((schema["required"] ?? []) as string[]).filter(
    (name) => !Object.hasOwn(given, name) && Object.hasOwn(example, name),
  );
  const known = { ...Object.fromEntries(missing.map((name) => [name, example[name]])), ...given };
  const options = { given: known };
  return validValue(document, schema, `the response of "${entry.id}"`, options).catch(() => known) as Promise<Member>;
}

function successSchema(document: OpenApiDocument, entry: OperationEntry): Schema {
  const { content = {} } = successDeclaration(document, entry);
  const media = content["application/json"] ?? Object.values(content)[0];
  return effectiveSchema(document, media?.schema ?? {});
}

function declaresLink(document: OpenApiDocument, entry: OperationEntry): boolean {
  const { headers = {} } = successDeclaration(document, entry);
  return Object.keys(headers).some((name) => name.toLowerCase() === "link");
}

function successDeclaration(document: OpenApiDocument, entry: OperationEntry): ResponseObject {
  return resolve<ResponseObject>(
    document,
    entry.operation.responses?.[responseKey(entry, successStatus(entry)) ?? ""] ?? {},
  );
}

/** Returns the fields that a client sends: none without a body. */
function bodyOf({ body = {} }: MockInput): Member {
  return body as Member;
}

function idOf({ path }: MockInput): unknown {
  return Object.values(path).at(-1);
}
