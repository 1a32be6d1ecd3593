import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type TestService } from "./petstore.ts";
import { breakAnswers } from "./broken-proxy.ts";
import { redocly } from "./redocly.ts";

/** An independent validator: Redocly reads the workflows and the contract, and knows nothing of this service. */
describe("the workflows of openapi/petstore.arazzo.yaml", () => {
  let service: TestService;
  beforeAll(async () => void (service = await startService()));
  afterAll(() => service[Symbol.asyncDispose]());

  test("pass against the service, and each response matches the contract", async () => {
    const { exitCode, output } = await respect(service.baseUrl);
    expect(output).toContain("Workflows: 2 passed, 2 total");
    expect(output).toContain("Steps: 11 passed, 11 total");
    expect(exitCode).toBe(0);
  });

  test.each([
    ["a field is missing", (body: string) => body.replaceAll(/,"categoryId":\d+/g, "")],
    ["an id is a string", (body: string) => body.replaceAll(/"id":(\d+)/g, '"id":"$1"')],
    ["an error has another code", (body: string) => body.replace("unauthorized", "forbidden")],
  ])("fail if %s", async (_title, change) => {
    await using broken = await breakAnswers(service.baseUrl, change);
    const { exitCode, output } = await respect(broken.origin + new URL(service.baseUrl).pathname);
    expect(output).toContain("Tests exited with error");
    expect(exitCode).toBe(1);
  });

  async function respect(server: string) {
    const inputs = [`key=${service.key}`, `attempt=${randomUUID()}`].flatMap((input) => ["--input", input]);
    return redocly("respect", "openapi/petstore.arazzo.yaml", "--server", `petstore=${server}`, ...inputs);
  }
});
