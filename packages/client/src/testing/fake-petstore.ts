import { document } from "../generated/document.ts";
import type { OperationId } from "../operation.ts";
import { type Answer, responseOf } from "./answer.ts";
import { contract, type OperationContract } from "./contract.ts";
import { ContractViolation } from "./contract-violation.ts";
import type { FakeRequest, Mock } from "./mock.ts";
import { operationOf, readRequest } from "./request.ts";

/** A petstore in memory that keeps its callers, and those who mock it, to the contract. */
export interface FakePetstore {
  /**
   * Answers a request to any origin, as its operation is mocked, else with the contract's example. What breaks the
   * contract is answered 501, which the service never does, and is among `violations`.
   */
  fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>;
  /**
   * Says how an operation answers from now on: several answers are given in turn, the last of them for good. Throws a
   * `ContractViolation` for an answer that the contract does not allow; what a function answers is judged when it does.
   */
  mock: <Id extends OperationId>(operationId: Id, ...answers: [Mock<Id>, ...Mock<Id>[]]) => void;
  /** The requests that kept to the contract, in their order. */
  readonly requests: readonly FakeRequest[];
  /** Those of one operation. */
  requestsTo: <Id extends OperationId>(operationId: Id) => FakeRequest<Id>[];
  /** What broke the contract, in its order. */
  readonly violations: readonly ContractViolation[];
  /** Throws the first violation, if there was any: for the end of each test. */
  verify: () => void;
  /** Forgets mocks, requests and violations. */
  reset: () => void;
}

type AnyMock = Answer | ((request: FakeRequest) => Answer | Promise<Answer>);

/** A `fetch` for tests, to give to `createPetstore`. */
export function createFakePetstore(): FakePetstore {
  const mocks = new Map<OperationId, AnyMock[]>();
  const requests: FakeRequest[] = [];
  const violations: ContractViolation[] = [];

  async function answer(request: Request): Promise<Response> {
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
        return await answer(request);
      } catch (error) {
        if (!(error instanceof ContractViolation)) throw error;
        violations.push(error);
        return refusal(error);
      }
    },
    mock(operationId, ...answers) {
      const operation = operationNamed(operationId);
      for (const given of answers) if (typeof given !== "function") responseOf(operation, given);
      mocks.set(operationId, answers as AnyMock[]); // each takes the requests of this operation alone
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
  if (operation === undefined) throw new ContractViolation(`The contract has no operation "${id}".`);
  return operation;
}

/** Not retried by the client, and none of the statuses that a test expects of the service. */
function refusal({ message }: ContractViolation): Response {
  return Response.json({ code: "contract_violation", message, status: 501 }, { status: 501 });
}
