/** The parts of OpenAPI documents that the census reads, independently of the library that it measures. */
export interface Description {
  openapi: string;
  paths?: Record<string, Node>;
  components?: Node;
  security?: Record<string, string[]>[];
}

/** A node of a document. */
export type Node = { [key: string]: unknown };

/** An operation as the census describes it. References in `parameters` and `requestBody` are resolved. */
export interface DescribedOperation {
  /** The operationId, or method and path. */
  id: string;
  /** Upper case. */
  method: string;
  path: string;
  parameters: Node[];
  requestBody: Node | undefined;
  /** The status of a successful response. */
  status: number;
  response: Node;
  security: Record<string, string[]>[];
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Returns the operations of a document. A broken part of the document is left out. */
export function operationsOf(document: Description): DescribedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, node]) => {
    const item = follow(document, node);
    return METHODS.flatMap((method) => {
      const operation = item?.[method] as Node | undefined;
      return operation === undefined ? [] : describe(document, path, method, item!, operation);
    });
  });
}

function describe(
  document: Description,
  path: string,
  method: string,
  item: Node,
  operation: Node,
): DescribedOperation {
  const own = listOf(document, operation["parameters"]);
  const shared = listOf(document, item["parameters"]).filter(
    (outer) => !own.some((inner) => inner["name"] === outer["name"] && inner["in"] === outer["in"]),
  );
  const responses = (operation["responses"] ?? {}) as Node;
  const key = successKey(Object.keys(responses));
  return {
    id: (operation["operationId"] as string | undefined) ?? `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    parameters: [...shared, ...own],
    requestBody: follow(document, operation["requestBody"]),
    status: statusOf(key),
    response: (key !== undefined && follow(document, responses[key])) || {},
    security: (operation["security"] ?? document.security ?? []) as Record<string, string[]>[],
  };
}

function successKey(keys: string[]): string | undefined {
  return (
    keys.find((key) => /^2\d\d$/.test(key)) ??
    keys.find((key) => /^2XX$/i.test(key)) ??
    keys.find((key) => key === "default") ??
    keys.find((key) => /^3\d\d$/.test(key)) ??
    keys.find((key) => /^[1-5]/.test(key))
  );
}

function statusOf(key: string | undefined): number {
  if (key === undefined || key === "default") return 200;
  return /^\d\d\d$/.test(key) ? Number(key) : Number(key[0]) * 100;
}

function listOf(document: Description, nodes: unknown): Node[] {
  return ((nodes ?? []) as unknown[]).map((node) => follow(document, node)).filter((node) => node !== undefined);
}

/** Returns a node, or the target of its reference. Returns undefined if the reference leads nowhere. */
export function follow(document: Description, node: unknown): Node | undefined {
  let target = node as Node | undefined;
  for (let hops = 0; typeof target?.["$ref"] === "string"; hops++) {
    if (hops === 32) return undefined;
    target = at(document, target["$ref"]);
  }
  return target;
}

/** Returns the node at a `#/…` JSON pointer. */
export function at(document: Description, ref: string): Node | undefined {
  if (!ref.startsWith("#/")) return undefined;
  let node: unknown = document;
  for (const key of ref.slice(2).split("/")) {
    node = (node as Node | undefined)?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return node as Node | undefined;
}
