import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contractProblems } from "openapi-contract/lint";
import { expect, onTestFinished, test } from "vitest";
import { readContract } from "../src/contract.ts";
import { fieldsOf, firstContract, pluralOf } from "../src/first-contract.ts";
import { namesOf } from "../src/names.ts";

test("a first contract meets every house rule, and can be served", async () => {
  const folder = mkdtempSync(join(tmpdir(), "contract-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "openapi.yaml");
  const fields = fieldsOf("title:text year:integer weight:number isLent:boolean bought:date seen:time");
  writeFileSync(file, firstContract(namesOf("museum"), { one: "exhibit", many: "exhibits", fields }));
  expect(await contractProblems(file)).toEqual([]);
  const { entries, broken } = await readContract(file);
  expect(entries.map(({ id }) => id)).toEqual(["listExhibits", "createExhibit", "getExhibit"]);
  expect(broken).toEqual([]);
});

test.each([
  ["exhibit", "exhibits"],
  ["box", "boxes"],
  ["story", "stories"],
  ["day", "days"],
  ["branch", "branches"],
])("several of %s are %s", (one, many) => {
  expect(pluralOf(one)).toBe(many);
});

test.each([
  ["", "Give at least one field, such as title:text."],
  ["id:integer", '"id" cannot be a field.'],
  ["Title", '"Title" cannot be a field.'],
  ["title:string", "title:string has no known type. Choose one of text, integer, number, boolean, date, time"],
  ["title title:integer", "The field title is given twice."],
])("the fields %j are rejected: %s", (text, message) => {
  expect(() => fieldsOf(text)).toThrow(message);
});
