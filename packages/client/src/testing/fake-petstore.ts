import { document } from "../generated/document.ts";
import type { OperationId } from "../operation.ts";
import { type AnyMockAnswer, responseOf } from "./answer.ts";
import { contract, type OperationContract } from "./contract.ts";
import { ContractViolation } from "./contract-violation.ts";
import type { FakeRequest, Mock } from "./mock.ts";
import { operationOf, readRequest } from "./request.ts";

/** A petstore in memory that validates requests and mocked responses against the contract. */
export interface FakePetstore {
  /**
   * Returns the mocked response of the request's operation, or the contract's example without a mock. Accepts every origin. If
   * the request or the response breaks the contract, returns status 501, which the service never sends, and records the
   * violation.
   */
  fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>;
  /**
   * Sets the responses of an operation from now on. Several responses are used one after the other; the last one repeats. Throws
   * a `ContractViolation` for a response that breaks the contract. The response of a function is validated at each request.
   */
  mock: <Id extends OperationId>(operationId: Id, ...answers: [Mock<Id>, ...Mock<Id>[]]) => void;
  /** The requests that satisfy the contract, in order. */
  readonly requests: readonly FakeRequest[];
  /** Returns the requests of one operation that satisfy the contract, in order. */
  requestsTo: <Id extends OperationId>(operationId: Id) => FakeRequest<Id>[];
  /** The violations of the contract, in order. */
  readonly violations: readonly ContractViolation[];
  /** Throws the first violation, if there is one. Call it at the end of each test. */
  verify: () => void;
  /** Removes mocks, requests and violations. */
  reset: () => void;
}

type AnyMock = AnyMockAnswer | ((request: FakeRequest) => AnyMockAnswer | Promise<AnyMockAnswer>);

/** Creates a fake petstore. Pass its `fetch` to `createPetstore`. */
export function createFakePetstore(): FakePetstore {
  const mocks = new Map<OperationId, AnyMock[]>();
  const requests: FakeRequest[] = [];
  const violations: ContractViolation[] = [];

  async function respond(request: Request): Promise<Response> {
    if (request.method === "GET" && request.url.endsWith("/openapi.json")) return Response.json(document);
    const operation = operationOf(request);
    const received = await readRequest(operation, request);
    requests.push(received);
    const [mock = { status: operation.success }, ...others] = mocks.get(operation.id) ?? [];
    if (others.length > 0) mocks.set(operation.id, others);
    return responseOf(operation, typeof mock === "function" ? await mock(received) : mock);
  }

  return {
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
    mock(operationId, ...answers) {
      const operation = operationNamed(operationId);
      for (const answer of answers) if (typeof answer !== "function") responseOf(operation, answer);
      mocks.set(operationId, answers as AnyMock[]); // A mock receives the requests of its own operation only.
    },
    requests,
    requestsTo: <Id extends OperationId>(operationId: Id) =>
      requests.filter((request) => request.operationId === operationId) as FakeRequest<Id>[],
    violations,
    verify() {
      if (violations[0] !== undefined) throw violations[0];
    },
    reset() {
      mocks.clear();
      requests.length = 0;
      violations.length = 0;
    },
  };
}

function operationNamed(id: string): OperationContract {
  const operation = contract.find((candidate) => candidate.id === id);
  if (operation === undefined)
    throw new ContractViolation(`The contract has no operation "${id}". Use an operationId of the contract.`);
  return operation;
}

/** Returns status 501, because the client does not retry it and the service never sends it. */
function violationResponse({ message }: ContractViolation): Response {
  return Response.json({ code: "contract_violation", message, status: 501 }, { status: 501 });
}
