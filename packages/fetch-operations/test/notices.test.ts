import { describe, expect, test, vi } from "vitest";
import { reportDeprecation } from "../src/deprecation.ts";
import type { Deprecation } from "../src/options.ts";
import { api, callsOf, read, respond, shop } from "./shop.ts";
import { connectTo } from "../src/index.ts";

describe("the report of a deprecated operation", () => {
  const reportsOf = (operation: object, headers?: Record<string, string>) => {
    const reports: Deprecation[] = [];
    const onDeprecated = (deprecation: Deprecation) => reports.push(deprecation);
    const connection = connectTo(api, { baseUrl: "http://x", onDeprecated });
    for (let time = 0; time < 2; time++)
      reportDeprecation(connection, { ...read, ...operation }, headers && new Headers(headers));
    return reports;
  };
  test("is one line of the console by default, and none if onDeprecated is false", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const note = (deprecated: object, options: object = {}) => {
      const connection = connectTo(api, { baseUrl: "http://x", ...options });
      for (let time = 0; time < 2; time++) reportDeprecation(connection, { ...read, deprecated });
      return warn.mock.calls.splice(0).flat();
    };
    const all = { sunset: "2030-12-05", successor: "listPets" };
    expect(note(all)).toEqual(["shop: getPet is deprecated and will be removed on 2030-12-05. Use listPets."]);
    expect(note({ sunset: "2030-12-05" })).toEqual(["shop: getPet is deprecated and will be removed on 2030-12-05."]);
    expect(note({ successor: "listPets" })).toEqual(["shop: getPet is deprecated. Use listPets."]);
    expect(note({ sunset: "soon" })).toEqual(["shop: getPet is deprecated."]);
    expect(note(all, { onDeprecated: false })).toEqual([]);
    warn.mockRestore();
  });

  test("follows each call, also one without a response", async () => {
    const reports: unknown[] = [];
    const onDeprecated = ({ operationId, sunset }: Deprecation) =>
      reports.push([operationId, sunset?.getUTCFullYear()]);
    const sunset = { Sunset: "Wed, 01 Jan 2031 00:00:00 GMT" };
    await using server = await shop(respond(404, "{}", undefined, sunset), { onDeprecated });
    await server.call({ id: "a" });
    await server.call({ id: "a", deprecated: {} });
    await callsOf(connectTo(api, { baseUrl: "http://127.0.0.1:1", onDeprecated, retry: false }))({
      id: "b",
      deprecated: {},
    });
    expect(reports).toEqual([
      ["a", 2031],
      ["b", undefined],
    ]);
  });

  const facts = { since: "2026-01-01", sunset: "2030-12-05", successor: "listPets" };
  const report = (deprecatedAt?: string, sunset?: string, successor?: string) => {
    const date = (text?: string) => (text === undefined ? undefined : new Date(text));
    return [{ operationId: "getPet", deprecatedAt: date(deprecatedAt), sunset: date(sunset), successor }];
  };

  test.each<[operation: object, headers: Record<string, string> | undefined, reports: object[]]>([
    [{}, undefined, []],
    [{}, { Link: '</b>; rel="successor-version"' }, []],
    [{ deprecated: {} }, undefined, report()],
    [{ deprecated: facts }, undefined, report("2026-01-01", "2030-12-05", "listPets")],
    [{}, { Deprecation: "@1767225600" }, report("2026-01-01")],
    [{}, { Sunset: "Thu, 05 Dec 2030 00:00:00 GMT" }, report(undefined, "2030-12-05")],
    [{ deprecated: { since: "soon" } }, { Deprecation: "@x" }, report()],
    [{}, { Deprecation: "1767225600" }, report()],
    [{}, { Deprecation: "true", Link: '</b>; rel="successor-version"' }, report(undefined, undefined, "/b")],
    [
      { deprecated: facts },
      { Deprecation: "@1767312000", Sunset: "Fri, 06 Dec 2030 00:00:00 GMT", Link: '</b>; rel="successor-version"' },
      report("2026-01-02", "2030-12-06", "listPets"),
    ],
  ])("for the contract's %j and the headers %j is sent once", (operation, headers, reports) => {
    expect(reportsOf(operation, headers)).toEqual(reports);
  });
});
