import { describe, expect, test } from "vitest";
import { anyJson, serveEcho } from "./echo.ts";

/** Sends texts of a format. Returns those that are accepted. */
async function accepted(format: string, texts: string[], openapi: string): Promise<string[]> {
  const requestBody = { content: { "application/json": { schema: { type: "string", format } } } };
  const paths = { "/x": { post: { operationId: "x", requestBody, responses: anyJson } } };
  await using server = await serveEcho(paths, { openapi });
  const found: string[] = [];
  for (const text of texts) {
    const sent = { method: "POST", body: JSON.stringify(text), headers: { "Content-Type": "application/json" } };
    const { status } = await fetch(`${server.baseUrl}/x`, sent);
    expect([200, 400]).toContain(status);
    if (status === 200) found.push(text);
  }
  return found;
}

describe.each(["3.0.3", "3.1.0"])("OpenAPI %s validates the format", (openapi) => {
  const uuid = "8F3f6f0e-5d0c-4a53-9f0a-0a8f3c1c7f8e";

  test.each<[format: string, valid: string[], invalid: string[]]>([
    ["byte", ["", "AA==", "AAA=", "AAA+", "AAA/AAAA"], ["A", "AAA", "A===", "AA-_", "no Base64\n", "a b\n\nAAAA"]],
    ["uuid", [uuid], [`urn:uuid:${uuid}`, `{${uuid}}`, uuid.replaceAll("-", ""), `${uuid}\n`]],
    [
      "date-time",
      [
        "2026-01-31T23:59:59Z",
        "2026-01-31t00:00:00.123456789z",
        "2026-01-31 12:00:00+05:30",
        "2024-02-29T12:00:00-23:59",
        "2000-02-29T12:00:00Z",
        "2016-12-31T23:59:60Z",
        "2017-01-01T05:29:60+05:30",
        "2016-12-31T15:59:60-08:00",
      ],
      [
        "2026-01-31T12:00:00",
        "2026-01-31\n12:00:00Z",
        "2026-01-31T12:00:00Z\n",
        "2026-01-31T12:00:00+0530",
        "2026-01-31T12:00:00+24:00",
        "2026-01-31T12:00:00+05:60",
        "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:61Z",
        "2026-01-31T12:00:60Z",
        "2026-01-31T23:59:60+01:00",
        "2026-01-31T12:00:00.Z",
        "2026-01-31T12:00Z",
        "2026-02-29T12:00:00Z",
        "1900-02-29T12:00:00Z",
        "2026-04-31T12:00:00Z",
        "2026-00-01T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-01-00T12:00:00Z",
      ],
    ],
  ])("%s", async (format, valid, invalid) => {
    expect(await accepted(format, [...valid, ...invalid], openapi)).toEqual(valid);
  });
});
