import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contextFiles } from "@platform/test-support/image";
import { expect, onTestFinished, test } from "vitest";
import { create, serviceFiles } from "../src/create.ts";
import { namesOf } from "../src/names.ts";
import { writeFiles } from "../src/project.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hostile-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test.each([
  ["a file in the place of the folder", ["taken", "--contract", "a.yaml"], "taken exists and is not an empty folder."],
  ["a folder with files", [".", "--contract", "a.yaml"], ". exists and is not an empty folder."],
  [
    "a contract and a resource",
    ["new", "--contract", "a.yaml", "--resource", "exhibit"],
    "Give --contract or --resource, not both",
  ],
  ["a contract on the web", ["new", "--contract", "https://a.example/a.yaml"], "Download the document first"],
  ["a folder whose name is no name", ["My shop", "--contract", "a.yaml"], '"My shop" cannot be a package name.'],
])("%s is refused before anything is written", (_name, words, message) => {
  const folder = emptyFolder();
  writeFileSync(join(folder, "taken"), "");
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...words], { cwd: folder, encoding: "utf8" });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("    at ");
  expect(status).toBe(1);
});

test("a folder that cannot be completed is removed", async () => {
  const folder = join(emptyFolder(), "museum");
  const contract = join(folder, "../museum.json");
  const paths = { "/a": { get: { responses: { 200: { description: "" } } } } };
  writeFileSync(contract, JSON.stringify({ openapi: "3.1.1", info: { title: "Museum", version: "1" }, paths }));
  const packed = join(folder, "../museum.json/vendor"); // no folder can be there
  await expect(create(folder, namesOf("museum"), contract, { report: () => {}, packed })).rejects.toThrow("ENOTDIR");
  expect(existsSync(folder)).toBe(false);
});

test.each(["Data", "Dist"])("files of a tag %s are committed, and copied to the image", async (tag) => {
  const folder = emptyFolder();
  const contract = join(folder, "museum.json");
  const paths = { "/a": { get: { operationId: "listAll", tags: [tag], responses: { 200: { description: "" } } } } };
  writeFileSync(contract, JSON.stringify({ openapi: "3.1.1", info: { title: "Museum", version: "1" }, paths }));
  const { files } = await serviceFiles(namesOf("museum"), contract);
  const repository = join(folder, "museum");
  writeFiles(repository, files);
  execFileSync("git", ["init", "--quiet", repository]);
  expect(contextFiles(repository).toSorted()).toEqual([...files.keys()].toSorted());
});
