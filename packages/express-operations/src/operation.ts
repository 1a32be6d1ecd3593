import type { RequestHandler } from "express";
import {
  ERROR_KEY,
  type OperationEntry,
  parameterNames,
  resolve,
  type ResponseObject,
  responseKey,
} from "openapi-document";
import { type CompiledOperation, type CompileOptions, compileOperation } from "./compiled-operation.ts";
import { type HandlerOptions, passOn, type UntypedHandler } from "./handler.ts";
import { type GivenHooks, withHooks } from "./hooks.ts";
import type { ProblemContext } from "./problem.ts";
import type { BodyLimits } from "./request/limits.ts";
import { type Deprecation, deprecationOf } from "./response/deprecation.ts";
import { ANONYMOUS, type Guard, guardOf, type SecurityOptions } from "./security/security.ts";

/** The options that all operations of a document share. */
export interface OperationOptions extends CompileOptions {
  security: SecurityOptions<unknown>;
  context: unknown;
  hooks: GivenHooks;
}

/** The facts of one operation. Its schemas are compiled once, at its first request. */
export class Operation {
  readonly id: string;
  readonly method: string;
  readonly entry: OperationEntry;
  readonly names: string[];
  /** The handler inside of its hooks. */
  readonly handler: UntypedHandler;
  /** The Express middlewares of the operation. Undefined if there are none. */
  readonly middlewares: readonly RequestHandler[] | undefined;
  /** The value of Express's `request.route`. */
  readonly route: { path: string };
  readonly options: OperationOptions;
  readonly guard: Guard<unknown>;
  readonly deprecation: Deprecation | undefined;
  readonly isCacheable: boolean;
  /** Whether requests go to Express's next handler. */
  readonly isPassedOn: boolean;
  /** The limits of a body that the handler reads itself. */
  readonly streamed: Partial<BodyLimits> | undefined;
  compiled: CompiledOperation | undefined;
  #failure: Error | undefined;
  /** The contexts of error responses by status, each made at its first error. */
  readonly #problemContexts = new Map<number, ProblemContext>();

  constructor(entry: OperationEntry, entries: OperationEntry[], own: HandlerOptions, options: OperationOptions) {
    this.id = entry.id;
    this.method = entry.method.toUpperCase();
    this.entry = entry;
    this.names = parameterNames(entry.path);
    this.isPassedOn = own.handler === passOn;
    this.handler = withHooks(own.handler, entry, options.hooks.around);
    const { [entry.id]: middlewares } = options.hooks.use ?? {};
    this.middlewares = middlewares === undefined ? undefined : [middlewares].flat();
    this.route = { path: entry.path };
    this.options = options;
    this.guard = this.isPassedOn ? () => ANONYMOUS : guardOf(options.document, entry, options.security);
    this.deprecation = deprecationOf(entry, entries);
    this.isCacheable = own.isCacheable === true;
    this.streamed = own.streamsBody === true ? (own.limits ?? {}) : undefined;
    this.compiled = undefined;
  }

  /** Compiles the operation. Every call throws the error of a failed compilation, which is not repeated. */
  compile(): CompiledOperation {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return (this.compiled = compileOperation(this.entry, this.options, this.streamed));
    } catch (cause) {
      const message = `Operation "${this.id}" cannot be served: its schemas do not compile. The cause says why.`;
      throw (this.#failure = new Error(message, { cause }));
    }
  }

  problemContext(status: number): ProblemContext {
    const known = this.#problemContexts.get(status);
    if (known !== undefined) return known;
    const context = { operationId: this.id, contentTypes: usualTypes([this], status) };
    this.#problemContexts.set(status, context);
    return context;
  }

  declaredTypes(status: number): string[] {
    const key = responseKey(this.entry, status);
    return key === undefined ? [] : this.#typesOf(key);
  }

  errorTypes(): string[][] {
    const keys = Object.keys(this.entry.operation.responses ?? {}).filter((key) => ERROR_KEY.test(key));
    return keys.map((key) => this.#typesOf(key)).filter((types) => types.length > 0);
  }

  #typesOf(key: string): string[] {
    const declared = this.entry.operation.responses![key]!;
    return Object.keys(resolve<ResponseObject>(this.options.document, declared).content ?? {});
  }
}

/** The operations of a path, by method in upper case. */
export type Route = Map<string, Operation>;

/** Returns the function that returns the context of an error of no operation: of a path's operations, or of all. */
export function problemContexts(operations: Operation[]): (status: number, route: Route | undefined) => ProblemContext {
  const contexts = new Map<number, ProblemContext>();
  return (status, route) => {
    if (route !== undefined) {
      const own = [...route.values()];
      return { operationId: undefined, path: own[0]!.entry.path, contentTypes: usualTypes(own, status) };
    }
    const known = contexts.get(status) ?? { operationId: undefined, contentTypes: usualTypes(operations, status) };
    contexts.set(status, known);
    return known;
  };
}

const JSON_TYPE = "application/json";

/** Returns the media types that most of these operations declare for a status, else for any error. JSON wins a tie. */
function usualTypes(operations: Operation[], status: number): readonly string[] {
  const known = operations.map((operation) => operation.declaredTypes(status)).filter((types) => types.length > 0);
  const all = known.length > 0 ? known : operations.flatMap((operation) => operation.errorTypes());
  const counted = Map.groupBy(all, (types) => types.join());
  const [first] = [...counted.values()].toSorted(
    (one, other) =>
      other.length - one.length || Number(other[0]!.includes(JSON_TYPE)) - Number(one[0]!.includes(JSON_TYPE)),
  );
  return first?.[0] ?? [];
}
