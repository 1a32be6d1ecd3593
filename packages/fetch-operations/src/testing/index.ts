/** A fake service for tests of programs that use a generated client. */
export { declaredResponse } from "./mock-response.ts";
export {
  type ContractDocument,
  contractOf,
  ContractViolation,
  type FakeContract,
  type OperationContract,
} from "./contract.ts";
export { createFake, type Fake } from "./fake.ts";
export type { FakeRequestOf, FakeTypes, IdOf, MockAnswersOf, MockOf } from "./mock.ts";
