/** A fake petstore for tests of programs that use the client. */
export { ContractViolation } from "./contract-violation.ts";
export { createFakePetstore, type FakePetstore } from "./fake-petstore.ts";
export type { FakeRequest, Mock, MockAnswer } from "./mock.ts";
