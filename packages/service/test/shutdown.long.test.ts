import { describe } from "vitest";
import { testShutdown } from "./shutdown.ts";

describe("a service of two processes", () => {
  testShutdown(2);
});
