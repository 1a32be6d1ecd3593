import { describe, expect, test } from "vitest";
import { ConfigError, pathOfFileUrl, readConfig } from "../src/config.ts";

const DEFAULTS = {
  host: "127.0.0.1",
  port: 3000,
  databaseUrl: "file:data/petstore.db",
  environment: "development",
  logLevel: "info",
};

describe("readConfig", () => {
  test("has a default for every setting, and ignores what is not one", () => {
    expect(readConfig({ HOME: "/home/rex" })).toStrictEqual(DEFAULTS);
  });

  test("takes an empty setting as unset", () => {
    expect(readConfig({ HOST: "", PORT: " ", DATABASE_URL: "", PETSTORE_ENV: "", LOG_LEVEL: "" })).toStrictEqual(
      DEFAULTS,
    );
  });

  test("reads every setting", () => {
    const env = {
      HOST: "::",
      PORT: "0",
      DATABASE_URL: "file:/srv/p.db",
      PETSTORE_ENV: "production",
      LOG_LEVEL: "silent",
    };
    const expected = {
      host: "::",
      port: 0,
      databaseUrl: "file:/srv/p.db",
      environment: "production",
      logLevel: "silent",
    };
    expect(readConfig(env)).toStrictEqual(expected);
  });

  test.each([
    ["HOST", "not a host"],
    ["HOST", "http://localhost"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "0x10"],
    ["PORT", "3000.5"],
    ["DATABASE_URL", "data/petstore.db"],
    ["DATABASE_URL", "file:"],
    ["DATABASE_URL", "file:data/"],
    ["DATABASE_URL", "file::memory:"],
    ["DATABASE_URL", "file:p.db?mode=ro"],
    ["DATABASE_URL", "file://other-host/p.db"],
    ["DATABASE_URL", "mysql://root:hunter2@localhost/p"],
    ["PETSTORE_ENV", "prod"],
    ["LOG_LEVEL", "verbose"],
  ])("refuses %s=%s in one line that names the setting", (name, value) => {
    const { message } = refusalOf({ [name]: value });
    expect(message.split("\n")).toHaveLength(1);
    expect(message).toMatch(new RegExp(`^${name} .* Set it so: ${name}=.`));
    expect(message).not.toContain("hunter2");
  });

  test.each(["postgres://root:hunter2@localhost/p", "PostgreSQL://root:hunter2@localhost/p"])(
    "says that %s is not supported yet",
    (url) => {
      const { message } = refusalOf({ DATABASE_URL: url });
      expect(message).toBe(
        "DATABASE_URL: PostgreSQL is not supported by this version yet. Use a file: DATABASE_URL=file:data/petstore.db",
      );
    },
  );

  test("names every bad setting at once, each on its line", () => {
    const lines = refusalOf({ PORT: "x", LOG_LEVEL: "x", HOST: "::1" }).message.split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["PORT", "LOG_LEVEL"]);
  });
});

test("pathOfFileUrl takes relative paths, absolute paths and URLs", () => {
  expect(["file:data/p.db", "file:/srv/p.db", "file:///srv/a%20b.db"].map(pathOfFileUrl)).toEqual([
    "data/p.db",
    "/srv/p.db",
    "/srv/a b.db",
  ]);
});

function refusalOf(env: NodeJS.ProcessEnv): ConfigError {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error("readConfig did not throw ConfigError");
}
