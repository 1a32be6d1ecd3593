import { generateApiKey } from "@platform/api-keys/api-key";
import { expect, test } from "vitest";
import { expectError, startService } from "../testing/service.ts";

test("a 401 says how to send an API key, whatever is wrong with the credentials", async () => {
  await using service = await startService();
  for (const key of [null, "nonsense", generateApiKey("development")]) {
    const response = await service.request("/pets", { key });
    expect(response.headers.get("WWW-Authenticate")).toMatch(/^Bearer realm="petstore"/);
    const message = await expectError(response, 401, "unauthorized");
    expect(message).toBe("A valid API key is required, sent as: Authorization: Bearer <API_KEY>.");
  }
});
