import { describe, expect, test } from "vitest";
import { connectTo } from "../src/connection.ts";
import { reportDeprecation } from "../src/deprecation.ts";
import type { Deprecation } from "../src/options.ts";
import { api, read } from "./test-api.ts";

describe("the report of a deprecated operation", () => {
  const reportsOf = (operation: object, headers?: Record<string, string>) => {
    const reports: Deprecation[] = [];
    const onDeprecated = (deprecation: Deprecation) => reports.push(deprecation);
    const connection = connectTo(api, { baseUrl: "http://x", onDeprecated });
    for (let time = 0; time < 2; time++)
      reportDeprecation(connection, { ...read, ...operation }, headers && new Headers(headers));
    return reports;
  };
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
