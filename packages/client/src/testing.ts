/** A fake service for tests of programs that use the client. */
export * from "./generated/testing.ts";
