import { expect, test } from "vitest";
import { isAnnotation } from "../src/keywords.ts";

test("isAnnotation is true for descriptive keywords and extensions", () => {
  const texts = "title summary description example examples externalDocs bearerFormat $comment x-anything";
  expect([...texts.split(" "), "type", "format", "x", "deprecated"].filter(isAnnotation)).toEqual(texts.split(" "));
});
