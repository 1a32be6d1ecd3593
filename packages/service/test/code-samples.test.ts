import { expect, test } from "vitest";
import { withCodeSamples } from "../src/documents/reference-page.ts";

test("each operation with samples gets them, and nothing else changes", () => {
  const document = {
    info: { title: "Things", version: "1.0.0" },
    paths: { "/things": { summary: "Things", get: { operationId: "listThings" }, post: {} } },
  };
  const samples = [{ lang: "shell", label: "curl", source: "curl </script>" }];
  const before = structuredClone(document);
  expect(withCodeSamples(document, { "GET /things": samples, "PUT /things": samples })).toEqual({
    ...document,
    paths: {
      "/things": { ...document.paths["/things"], get: { operationId: "listThings", "x-codeSamples": samples } },
    },
  });
  expect(document).toEqual(before);
});
