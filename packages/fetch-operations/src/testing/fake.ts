import type { ValueTypes } from "../contract/shapes.ts";
import type { OperationDescription } from "../operation.ts";
import { type AnyMockResponse, responseOf } from "./mock-response.ts";
import {
  type ContractDocument,
  contractOf,
  ContractViolation,
  type FakeContract,
  type OperationContract,
} from "./contract.ts";
import type { FakeRequestOf, FakeTypes, IdOf, MockOf } from "./mock.ts";
import { type AnyFakeRequest, findOperation, operationOf, readRequest } from "./request.ts";

/** A service in memory that validates requests and mocked responses against the contract. */
export interface Fake<Types extends FakeTypes> {
  /**
   * Returns the mocked response of the request's operation, or without a mock the contract's example, or else a valid value of
   * its schema. Accepts every origin. If the request or the response breaks the contract, returns status 501, which the service
   * never sends, and records the violation.
   */
  fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>;
  /** Whether a request has the method and the path of an operation, at any origin. MSW passes other ones to its other handlers. */
  has: (request: Request) => boolean;
  /**
   * Sets the responses of an operation from now on. Several responses are used one after the other; the last one repeats. Throws
   * a `ContractViolation` for a response that breaks the contract. The response of a function is validated at each request.
   */
  mock: <Id extends IdOf<Types>>(operationId: Id, ...answers: [MockOf<Types, Id>, ...MockOf<Types, Id>[]]) => void;
  /** The requests that satisfy the contract, in order. */
  readonly requests: readonly FakeRequestOf<Types>[];
  /** Returns the requests of one operation that satisfy the contract, in order. */
  requestsTo: <Id extends IdOf<Types>>(operationId: Id) => FakeRequestOf<Types, Id>[];
  /** The violations of the contract, in order. */
  readonly violations: readonly ContractViolation<IdOf<Types>>[];
  /** Throws the first violation, if there is one. Call it at the end of each test. */
  verify: () => void;
  /** Removes mocks, requests and violations. */
  reset: () => void;
}

type AnyMock = AnyMockResponse | ((request: AnyFakeRequest) => AnyMockResponse | Promise<AnyMockResponse>);

/** The settings of a client's generation that its fake needs. */
export interface FakeOptions extends ValueTypes {
  /** Where the fake publishes the document without a key, relative to the base URL. */
  publishedContract?: string;
}

/**
 * Creates a fake of a document's service. Pass its `fetch` to the client. `operations` are those of the client, by name.
 * Requests have the values of the client's types.
 */
export function createFake<Types extends FakeTypes>(
  document: ContractDocument,
  operations: Readonly<Record<string, OperationDescription>>,
  { publishedContract = "../openapi.json", ...types }: FakeOptions = {},
): Fake<Types> {
  const published = new URL(publishedContract, "http://localhost").pathname;
  const names = new Map(Object.entries(operations).map(([name, { id }]) => [id, name]));
  const contract = contractOf(document, names, types);
  const mocks = new Map<string, AnyMock[]>();
  const requests: AnyFakeRequest[] = [];
  const violations: ContractViolation[] = [];

  const isPublished = ({ method, url }: Request) => method === "GET" && new URL(url).pathname.endsWith(published);

  async function respond(request: Request): Promise<Response> {
    if (isPublished(request)) return Response.json(document);
    const operation = operationOf(contract, request);
    const received = await readRequest(contract, operation, request);
    requests.push(received);
    const [mock = { status: operation.success }, ...others] = mocks.get(operation.id) ?? [];
    if (others.length > 0) mocks.set(operation.id, others);
    return responseOf(contract, operation, typeof mock === "function" ? await mock(received) : mock);
  }

  const fake: Fake<FakeTypes> = {
    async fetch(input, init) {
      const request = new Request(input, init);
      request.signal.throwIfAborted();
      try {
        return await respond(request);
      } catch (error) {
        if (!(error instanceof ContractViolation)) throw error;
        violations.push(error);
        return violationResponse(error);
      }
    },
    has: (request) => isPublished(request) || findOperation(contract, request) !== undefined,
    mock(operationId: string, ...answers: unknown[]) {
      const operation = operationNamed(contract, operationId);
      for (const answer of answers as AnyMock[])
        if (typeof answer !== "function") responseOf(contract, operation, answer);
      mocks.set(operationId, answers as AnyMock[]); // A mock receives the requests of its own operation only.
    },
    requests: requests as never,
    requestsTo: (operationId: string) => requests.filter((request) => request.operationId === operationId) as never,
    violations: violations as never,
    verify() {
      if (violations[0] !== undefined) throw violations[0];
    },
    reset() {
      mocks.clear();
      requests.length = 0;
      violations.length = 0;
    },
  };
  return fake as never; // The types are of the same contract as the document.
}

function operationNamed({ operations }: FakeContract, id: string): OperationContract {
  const operation = operations.find((candidate) => candidate.id === id);
  if (operation === undefined)
    throw new ContractViolation(`The contract has no operation "${id}". Use an operationId of the contract.`);
  return operation;
}

/** Returns status 501, because the client does not retry it and services rarely send it. */
function violationResponse({ message }: ContractViolation): Response {
  return Response.json({ code: "contract_violation", message, status: 501 }, { status: 501 });
}
