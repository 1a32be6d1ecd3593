import { join, resolve } from "node:path";
import { languageService } from "@platform/test-support/language-service";
import ts from "typescript-with-api";
import { beforeAll, describe, expect, test } from "vitest";

const packages = resolve(import.meta.dirname, "../..");
const FILE = join(packages, "repository/test/in-an-editor.ts");

/** The code of a user of both packages. `/*…*\/` is before each word under the mouse. */
const TEXT = `
import type { ListPetsInput as Input, NewPet } from "../../contract/src/index.ts";
import { createPetstore } from "../../client/src/index.ts";
export const pet: NewPet = { /*name*/name: "Rex", /*categoryId*/categoryId: 1, /*status*/status: "sold" };
export const input: Input = { query: { /*limit*/limit: 1 }, header: { /*If-None-Match*/"If-None-Match": "*" } };
const petstore = createPetstore({ baseUrl: "http://127.0.0.1", apiKey: "k" });
void petstore.createPet({ /*client's name*/name: "Rex", /*client's categoryId*/categoryId: 1 });
void petstore.listPets({ /*client's limit*/limit: 1 });
void petstore.GET("/pets", { params: { query: { limit: 1 } } });
`;

let service: ts.LanguageService;
beforeAll(() => {
  service = languageService(join(packages, "repository"), FILE, TEXT);
});

describe("an editor shows", () => {
  const name = "Name of the animal, without control characters. 1 to 255 characters.";
  const categoryId = "Identifier of the category the animal belongs to. -9007199254740991 to 9007199254740991.";
  const limit = "Maximum number of animals to return. 1 to 100. Default: 20.";

  test.each([
    ["name", name],
    ["categoryId", categoryId],
    ["status", "Availability of the animal. `available` when omitted on creation. @default available"],
    ["limit", limit],
    ["If-None-Match", "The `ETag` of an earlier response"],
    ["client's name", name],
    ["client's categoryId", categoryId],
    ["client's limit", limit],
  ])("the text, bounds and default of %s", (word, expected) => {
    const at = TEXT.indexOf(`/*${word}*/`) + word.length + 4;
    expect(shownAt(at)).toContain(expected);
  });

  test("no type error in this code", () => {
    expect(service.getSemanticDiagnostics(FILE).map(({ messageText }) => messageText)).toEqual([]);
  });
});

/** The documentation at a position, its tags after it. */
function shownAt(position: number): string {
  const { documentation, tags = [] } = service.getQuickInfoAtPosition(FILE, position) ?? {};
  const texts = tags.map(({ name, text }) => [name === "description" ? "" : `@${name}`, ts.displayPartsToString(text)]);
  return [ts.displayPartsToString(documentation), ...texts.flat()].filter(Boolean).join(" ");
}
