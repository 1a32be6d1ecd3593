import {
  effectiveSchema,
  type OpenApiDocument,
  type OperationEntry,
  propertiesOf,
  resolve,
  type ResponseObject,
  type Schema,
} from "openapi-document";
import { successStatus } from "./examples.ts";

/** A collection, recognized by paths: GET on `/pets` lists the members, and `/pets/{petId}` is one member. */
export interface Resource {
  /** The operation that lists the members. */
  list: OperationEntry;
  /** The schema of one member. */
  member: Schema;
  /** The field that identifies a member. */
  idField: string;
  /** The field of the list's response that holds the members; undefined if the response is the members. */
  envelope: string | undefined;
}

/** An operation's effect on its collection. */
export type Role = "list" | "create" | "fetch" | "replace" | "change" | "remove";

const MEMBER_PATH = /^(.*)\/\{([^/{}]+)\}$/;

const ROLES: Record<string, Role> = {
  "get collection": "list",
  "post collection": "create",
  "get member": "fetch",
  "put member": "replace",
  "patch member": "change",
  "delete member": "remove",
};

/** Returns the collection of an operation and its role; undefined if its path belongs to no collection. */
export function resourceOf(
  document: OpenApiDocument,
  entries: OperationEntry[],
  entry: OperationEntry,
): { resource: Resource; role: Role } | undefined {
  const [, above] = MEMBER_PATH.exec(entry.path) ?? [];
  const collection = above ?? entry.path;
  const role = ROLES[`${entry.method} ${above === undefined ? "collection" : "member"}`];
  const list = entries.find(({ method, path }) => method === "get" && path === collection);
  const found = list && membersOf(document, list);
  if (role === undefined || list === undefined || found === undefined) return undefined;
  const { member, envelope } = found;
  const parameters = entries.flatMap(({ path }) => {
    const [, of, parameter] = MEMBER_PATH.exec(path) ?? [];
    return of === collection ? parameter! : [];
  });
  const idField = [...parameters, "id"].find((name) => Object.hasOwn(propertiesOf(member), name));
  return idField === undefined ? undefined : { resource: { list, member, idField, envelope }, role };
}

/**
 * Returns the schema of one member if the operation responds with a list of objects, or with an object that has one such list,
 * such as `{ items, total }`.
 */
function membersOf(
  document: OpenApiDocument,
  list: OperationEntry,
): { member: Schema; envelope: string | undefined } | undefined {
  const response = list.operation.responses?.[successStatus(list)];
  const content = response && resolve<ResponseObject>(document, response).content?.["application/json"];
  const schema = effectiveSchema(document, content?.schema);
  if (schema.type === "array") return { member: effectiveSchema(document, schema.items), envelope: undefined };
  const lists = Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    const { type, items } = effectiveSchema(document, field);
    const member = effectiveSchema(document, items);
    return type === "array" && Object.keys(propertiesOf(member)).length > 0 ? [{ member, envelope: name }] : [];
  });
  return lists.length === 1 ? lists[0] : undefined;
}
