import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PathRouter } from "../src/request/path-router.ts";

describe("PathRouter", () => {
  const router = new PathRouter<string>();
  for (const template of [
    "/",
    "/pets",
    "/pets/mine",
    "/pets/{id}",
    "/pets/{id}/toys/{toy}",
    "/pets/{id}.json",
    "/{kind}/mine/toys",
    "/a.b/{x}-{y}",
    "/v{n}/x",
    "/café au lait/{x}",
    "/{bucket}?all",
    "/#Target={x}",
  ]) {
    router.route(template, () => template);
  }

  test.each<[string, string, string[]]>([
    ["/", "/", []],
    ["/pets", "/pets", []],
    ["/pets/mine", "/pets/mine", []],
    ["/pets/1", "/pets/{id}", ["1"]],
    ["/pets/1.json", "/pets/{id}.json", ["1"]],
    ["/pets/%2F", "/pets/{id}", ["%2F"]],
    ["/pets/mine/toys", "/{kind}/mine/toys", ["pets"]],
    ["/pets/mine/toys/2", "/pets/{id}/toys/{toy}", ["mine", "2"]],
    ["/a.b/1-2", "/a.b/{x}-{y}", ["1", "2"]],
    ["/v2/x", "/v{n}/x", ["2"]],
    ["/caf%C3%A9%20au%20lait/1", "/café au lait/{x}", ["1"]],
    ["/caf%c3%a9%20au%20lait/1", "/café au lait/{x}", ["1"]],
    ["/%70et%73", "/pets", []],
    ["/pets/%6D%69ne", "/pets/mine", []],
    ["/pets/1%2ejson", "/pets/{id}.json", ["1"]],
    ["/pets/%2e%2E", "/pets/{id}", [".."]],
    ["/pets/%2570", "/pets/{id}", ["%2570"]],
    ["/one%3Fall", "/{bucket}?all", ["one"]],
    ["/%23Target=1", "/#Target={x}", ["1"]],
  ])("%s matches %s", (path, template, values) => {
    expect(router.find(path)).toEqual({ route: template, values });
  });

  test.each([
    "",
    "/pets/",
    "//",
    "/Pets",
    "/pets/1/",
    "/pets/1/toys",
    "/pets//toys/2",
    "/aXb/1-2",
    "/a.b/1",
    "/v/x",
    "/nope/2",
  ])("%s matches no template", (path) => expect(router.find(path)).toBeUndefined());

  test("values between literal text equal the matches of a regular expression", () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 2 }), {
      minLength: 2,
      maxLength: 4,
    });
    const segments = fc.string({ unit: fc.constantFrom("a", "b", "-", "c"), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(texts, segments, (between, segment) => {
        const mixed = new PathRouter<string>();
        mixed.route(`/x${between.map((text, at) => (at === 0 ? text : `{p${at}}${text}`)).join("")}`, () => "mixed");
        const [, ...values] = new RegExp(`^x${between.join("(.+)")}$`).exec(`x${segment}`) ?? [];
        expect(mixed.find(`/x${segment}`)?.values ?? []).toEqual(values);
      }),
      { numRuns: 2_000 },
    );
  });

  test("templates that differ only in parameter names are equal", () => {
    expect(router.route("/pets/{petId}", () => "another")).toBe("/pets/{id}");
  });
});

describe("a segment of text and parameters without a matching path", () => {
  const router = new PathRouter<string>();
  for (const template of ["/a/{x}.{y}/one", "/a/{x}-{y}/three", "/a/{z}/two", "/{k}/1.2/four"])
    router.route(template, () => template);

  test.each<[string, string, string[]]>([
    ["/a/1.2/one", "/a/{x}.{y}/one", ["1", "2"]],
    ["/a/1.2/two", "/a/{z}/two", ["1.2"]],
    ["/a/1.2-3/three", "/a/{x}-{y}/three", ["1.2", "3"]],
    ["/a/1.2-3/two", "/a/{z}/two", ["1.2-3"]],
    ["/a/1.2/four", "/{k}/1.2/four", ["a"]],
  ])("keeps no values: %s matches %s", (path, template, values) => {
    expect(router.find(path)).toEqual({ route: template, values });
  });

  test("is tried in the order of the templates", () => {
    const ordered = new PathRouter<string>();
    for (const template of ["/{a}-{b}", "/{a}.{b}", "/{a}+{b}", "/m{a}n", "/{a}mn", "/mn{a}"])
      ordered.route(template, () => template);
    expect(ordered.find("/1.2-3")).toEqual({ route: "/{a}-{b}", values: ["1.2", "3"] });
    expect(ordered.find("/1+2.3")).toEqual({ route: "/{a}.{b}", values: ["1+2", "3"] });
    expect(["/m1n", "/1mn", "/mn1"].map((path) => ordered.find(path)?.route)).toEqual(["/m{a}n", "/{a}mn", "/mn{a}"]);
  });

  test("matches no template if no other segment does", () => {
    expect(router.find("/a/1.2/none")).toBeUndefined();
    expect(router.find("/b/1.2/one")).toBeUndefined();
  });
});
