/** A fake service for tests of programs that use a generated client. */
export { declaredResponse } from "./answer.ts";
export { contractOf, type FakeContract, type OperationContract } from "./contract.ts";
export type { ContractDocument } from "./contract-document.ts";
export { ContractViolation } from "./contract-violation.ts";
export { createFake, type Fake } from "./fake.ts";
export type { FakeRequestOf, FakeTypes, IdOf, MockAnswersOf, MockOf } from "./mock.ts";
