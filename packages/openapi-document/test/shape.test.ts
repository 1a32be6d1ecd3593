import { expect, test } from "vitest";
import { shapesOf, unnamedField } from "../src/schema/shape.ts";

const LETTERS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const others = LETTERS.slice(1);

test("shapes of names that match several patterns are cached up to a limit", () => {
  const patternProperties = Object.fromEntries(LETTERS.map((letter) => [letter, { title: letter }]));
  const shapeFor = shapesOf({ openapi: "3.1.0" });
  const shape = shapeFor({ schemas: [{ patternProperties }] });
  const shapeOf = (name: string) => shapeFor(unnamedField(shape, name)!);
  const [one, several] = [shapeOf("a"), shapeOf("ab")];
  expect(shapeOf("ab")).toBe(several);
  for (let at = 1; at < 128; at++) shapeOf(`a${others.filter((_, bit) => (at >> bit) % 2 === 1).join("")}`);
  expect([shapeOf("a") === one, shapeOf("ab") === several]).toEqual([true, false]);
});
