import { on } from "node:events";
import express from "express";
import { expect, test } from "vitest";
import { implement, type Violation } from "../src/index.ts";
import { listen } from "./listen.ts";

const text = { schema: { type: "string" } };
const responses = { 204: { description: "", headers: { "Set-Cookie": text, Link: text } } };
const document = {
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  paths: { "/x": { get: { operationId: "x", responses } } },
};

/** Responds with these headers, checks the response, and returns the violations. */
async function send(headers: object, checkResponses: "always" | "off" = "always") {
  const violations: Violation[] = [];
  const onViolation = (violation: Violation) => void violations.push(violation);
  const handlers = { x: () => ({ status: 204, headers }) } as never;
  await using server = await listen(express().use(implement()({ document, handlers, checkResponses, onViolation })));
  const response = await fetch(`${server.baseUrl}/x`);
  return { headers: response.headers, faults: violations.map(({ pointer, message }) => `${pointer} ${message}`) };
}

test("a list of cookies becomes one line for each", async () => {
  const cookies = ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2"];
  const { headers, faults } = await send({ "Set-Cookie": cookies });
  expect([headers.getSetCookie(), faults]).toEqual([cookies, []]);
  expect((await send({ "Set-Cookie": "a=1" })).headers.getSetCookie()).toEqual(["a=1"]);
});

test("a list for another header violates the document", async () => {
  expect((await send({ Link: ["</a>", "</b>"] })).faults).toEqual(["/headers/Link must be string"]);
  expect((await send({ "Set-Cookie": [1] })).faults).not.toEqual([]);
});

test("an undeclared header is a violation of a checked response, and otherwise named in a warning once", async () => {
  const { headers, faults } = await send({ "X-Checked": "1" });
  expect([headers.get("X-Checked"), faults]).toEqual([null, ["/headers/X-Checked is not declared"]]);

  const warnings = on(process, "warning");
  await send({ "X-First": "1", "X-Missing": undefined }, "off");
  await send({ "X-First": "2" }, "off");
  await send({ "X-Last": "1" }, "off");
  const found: string[] = [];
  for await (const [{ message, code }] of warnings as AsyncIterable<[Error & { code: string }]>) {
    if (code === "UNDECLARED_HEADER") found.push(message);
    if (message.includes("X-Last")) break;
  }
  const warning = (name: string) =>
    `The handler of "x" returned 204 with the header ${name}, which is not sent. Declare the header in the document, or leave it out.`;
  expect(found).toEqual([warning("X-First"), warning("X-Last")]);
});
