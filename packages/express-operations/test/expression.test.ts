import { expect, test } from "vitest";
import { callbackUrl, type CallbackSource } from "../src/webhooks/expression.ts";

/** The request and response of OpenAPI 3.1, "Key Expression". */
const source: CallbackSource = {
  url: "https://example.org/subscribe/myevent?queryUrl=https://clientdomain.com/stillrunning",
  request: {
    path: { eventType: "myevent" },
    query: { queryUrl: "https://clientdomain.com/stillrunning" },
    headers: {},
    contentType: "application/json",
    body: {
      failedUrl: "https://clientdomain.com/failed",
      successUrls: [
        "https://clientdomain.com/fast",
        "https://clientdomain.com/medium",
        "https://clientdomain.com/slow",
      ],
    },
  },
  response: { status: 201, headers: { Location: "https://example.org/subscription/1" } },
};

test.each([
  ["$url", source.url],
  ["$request.query.queryUrl", "https://clientdomain.com/stillrunning"],
  ["$request.body#/failedUrl", "https://clientdomain.com/failed"],
  ["$request.body#/successUrls/1", "https://clientdomain.com/medium"],
  ["$response.header.Location", "https://example.org/subscription/1"],
  ["{$response.header.location}", "https://example.org/subscription/1"],
  ["http://a.example/{$method}", "http://a.example/POST"],
  ["http://a.example/{$request.path.eventType}", "http://a.example/myevent"],
  ["http://a.example/{$request.header.content-type}", "http://a.example/application%2Fjson"],
  ["http://a.example/{$statusCode}", "http://a.example/201"],
  [
    "http://a.example?id={$request.path.eventType}&from={$request.query.queryUrl}",
    "http://a.example/?id=myevent&from=https%3A%2F%2Fclientdomain.com%2Fstillrunning",
  ],
  ["{$request.body#/failedUrl}/again", "https://clientdomain.com/failed/again"],
])("the expression %s is %s", (expression, url) => {
  expect(callbackUrl(expression, "post")(source).href).toBe(url);
});

test("pointers have escapes, and see only fields of the body", () => {
  const body = { "a/b": { "c~d": "http://x.example/" }, list: ["http://y.example/"], "": { "": "http://z.example/" } };
  const resolve = (expression: string) => callbackUrl(expression, "get")({ request: { body } }).href;
  expect(resolve("$request.body#/a~1b/c~0d")).toBe("http://x.example/");
  expect(resolve("$request.body#/list/0")).toBe("http://y.example/");
  expect(resolve("$request.body#//")).toBe("http://z.example/");
  const whole = { request: { body: "http://whole.example/" } };
  for (const all of ["$request.body", "$request.body#"])
    expect(callbackUrl(all, "get")(whole).href).toBe("http://whole.example/");
  for (const unknown of ["constructor/name", "list/length", "list/-", "toString"])
    expect(() => resolve(`$request.body#/${unknown}`)).toThrow(/is missing/);
});

test("a value after the start of a URL changes no other part of it", () => {
  const request = { path: { id: "../x?a=1#b" }, query: { host: "evil.example/" } };
  expect(callbackUrl("http://a.example/{$request.path.id}/end", "get")({ request }).href).toBe(
    "http://a.example/..%2Fx%3Fa%3D1%23b/end",
  );
  expect(() => callbackUrl("http://a.example:{$request.query.host}", "get")({ request })).toThrow(SyntaxError);
});

test.each([
  ["$request.body#/none", "$request.body#/none is missing."],
  ["$request.body#/list", "$request.body#/list is not a string, number or boolean."],
  ["$response.body#/url", "$response.body#/url is missing."],
  ["$url", "$url is missing."],
  ["$request.body#/script", "The URL from $request.body#/script is not an absolute http or https URL."],
  ["$request.body#/file", "The URL from $request.body#/file is not an absolute http or https URL."],
  ["$request.body#/user", "The URL from $request.body#/user contains credentials."],
])("%s without a usable URL is an error that names the expression", (expression, message) => {
  const body = { list: [], script: "javascript:alert(1)", file: "file:///etc/passwd", user: "http://a:b@c.example" };
  expect(() => callbackUrl(expression, "get")({ request: { body } })).toThrow(message);
});

test.each([
  "$request",
  "$request.body/a",
  "$request.cookie.a",
  "$response.query.a",
  "$request.header.",
  "$methods",
  "{$x}",
])("%s is not an expression", (expression) => {
  expect(() => callbackUrl(expression, "get")).toThrow("is not a runtime expression of OpenAPI.");
});
