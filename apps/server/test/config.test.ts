import { normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigError } from "@openapi-operations/service/settings";
import { pathOfFileUrl } from "@openapi-operations/storage/url";
import { isPosix } from "@platform/test-support/machine";
import express from "express";
import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";

const DEFAULTS = {
  host: "127.0.0.1",
  port: 3000,
  databaseUrl: "file:data/petstore.db",
  replicasUrl: undefined,
  checkpoints: "automatic",
  backupFolder: undefined,
  backupMaxAge: 7_200_000,
  environment: "development",
  bootstrapKeyFile: undefined,
  logLevel: "info",
  shutdownDelay: 1,
  shutdownTimeout: 10,
  processes: 1,
  maxInFlight: 512,
  trustProxy: [],
  rateLimits: { perCaller: undefined, failuresPerAddress: undefined },
  strictTransportSecurity: undefined,
  tracesEndpoint: undefined,
  metricsAddress: undefined,
  quickstartFile: normalize("data/quickstart.key"),
};

describe("readConfig", () => {
  test("has a default for every setting, and ignores other variables", () => {
    expect(readConfig({ HOME: "/home/rex" })).toStrictEqual(DEFAULTS);
  });

  test("treats an empty setting as unset", () => {
    expect(readConfig({ HOST: "", PORT: " ", DATABASE_URL: "", PETSTORE_ENV: "", LOG_LEVEL: "" })).toStrictEqual(
      DEFAULTS,
    );
  });

  test("reads every setting", () => {
    const env = {
      HOST: "::",
      PORT: "0",
      DATABASE_URL: "file:/srv/p.db",
      SQLITE_CHECKPOINTS: "external",
      BACKUP_FOLDER: "/srv/backups",
      BACKUP_MAX_AGE: "3d",
      PETSTORE_ENV: "production",
      LOG_LEVEL: "silent",
      PETSTORE_BOOTSTRAP_KEY_FILE: "/run/secrets/key",
      SHUTDOWN_DELAY: "15",
      SHUTDOWN_TIMEOUT: "20",
      WEB_CONCURRENCY: "4",
      MAX_IN_FLIGHT: "64",
      TRUST_PROXY: "10.0.0.0/8, ::1",
      RATE_LIMIT: "600/60",
      AUTH_FAILURE_LIMIT: "20/3600",
      STRICT_TRANSPORT_SECURITY: "max-age=31536000; includeSubDomains; preload",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      METRICS_HOST: "10.0.0.1",
      METRICS_PORT: "9464",
    };
    const expected = {
      host: "::",
      port: 0,
      databaseUrl: "file:/srv/p.db",
      replicasUrl: undefined,
      checkpoints: "external",
      backupFolder: "/srv/backups",
      backupMaxAge: 3 * 86_400_000,
      environment: "production",
      logLevel: "silent",
      bootstrapKeyFile: "/run/secrets/key",
      shutdownDelay: 15,
      shutdownTimeout: 20,
      processes: 4,
      maxInFlight: 64,
      trustProxy: ["10.0.0.0/8", "::1"],
      rateLimits: {
        perCaller: { requests: 600, seconds: 60 },
        failuresPerAddress: { requests: 20, seconds: 3600 },
      },
      strictTransportSecurity: "max-age=31536000; includeSubDomains; preload",
      tracesEndpoint: "http://127.0.0.1:4318",
      metricsAddress: { host: "10.0.0.1", port: 9464 },
      quickstartFile: normalize("/srv/p.db.quickstart.key"),
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
    ["DATABASE_URL", isPosix ? "file://other-host/p.db" : "file:"], // on Windows, a shared folder
    ["DATABASE_URL", "mysql://root:hunter2@localhost/p"],
    ["DATABASE_URL", "postgres://root:hunter2@localhost"],
    ["DATABASE_URL", "postgres://root:hunter2@local host/p"],
    ["DATABASE_URL", "postgres:hunter2"],
    ["SQLITE_CHECKPOINTS", "0"],
    ["BACKUP_MAX_AGE", "2"],
    ["PETSTORE_ENV", "prod"],
    ["LOG_LEVEL", "verbose"],
    ["SHUTDOWN_DELAY", "301"],
    ["SHUTDOWN_DELAY", "1.5"],
    ["SHUTDOWN_TIMEOUT", "-1"],
    ["WEB_CONCURRENCY", "0"],
    ["MAX_IN_FLIGHT", "0"],
    ["TRUST_PROXY", "33"],
    ["TRUST_PROXY", "-1"],
    ["TRUST_PROXY", "true"],
    ["TRUST_PROXY", "proxy.local"],
    ["TRUST_PROXY", "10.0.0.0/8,"],
    ["TRUST_PROXY", "0.0.0.0/0"],
    ["TRUST_PROXY", "10.0.0.0/33"],
    ["TRUST_PROXY", "10.0.0.0/255.0.0.0"],
    ["TRUST_PROXY", "10.0.0.0/8/8"],
    ["TRUST_PROXY", "::/129"],
    ["TRUST_PROXY", "fe80::1%eth0"],
    ["TRUST_PROXY", "010.0.0.1"],
    ["RATE_LIMIT", "600"],
    ["AUTH_FAILURE_LIMIT", "0/60"],
    ["STRICT_TRANSPORT_SECURITY", "true"],
    ["STRICT_TRANSPORT_SECURITY", "max-age=31536000\r\nX-Other: 1"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
    ["METRICS_HOST", "not a host"],
    ["METRICS_PORT", "x"],
  ])("rejects %s=%s with one line that names the setting", (name, value) => {
    const { message } = refusalOf({ [name]: value });
    expect(message.split("\n")).toHaveLength(1);
    expect(message).toMatch(new RegExp(`^${name} .* Example: ${name}=.`));
    expect(message).not.toContain("hunter2");
  });

  test("names the environments", () => {
    expect(refusalOf({ PETSTORE_ENV: "prod" }).message).toBe(
      "PETSTORE_ENV must be one of development, staging, production. Example: PETSTORE_ENV=development",
    );
  });

  test.each([
    ["postgres://root:hunter2@localhost/p", normalize("data/localhost-p.quickstart.key")],
    ["PostgreSQL://localhost:5433/p", normalize("data/localhost-5433-p.quickstart.key")],
    ["postgres:///p?host=/run/postgresql", normalize("data/p.quickstart.key")],
    ["file:data/other.db", normalize("data/other.db.quickstart.key")],
    ["file:/srv/petstore.db", normalize("/srv/quickstart.key")],
  ])("accepts %s unchanged, with its own quickstart key file", (databaseUrl, quickstartFile) => {
    expect(readConfig({ DATABASE_URL: databaseUrl })).toStrictEqual({ ...DEFAULTS, databaseUrl, quickstartFile });
  });

  test.each([
    ["1", 1],
    ["0", 0],
    ["127.0.0.1", ["127.0.0.1"]],
    ["2001:db8::/32,::ffff:10.0.0.1,192.0.2.7/32", ["2001:db8::/32", "::ffff:10.0.0.1", "192.0.2.7/32"]],
  ])("accepts TRUST_PROXY=%s, as Express does", (text, trustProxy) => {
    expect(readConfig({ TRUST_PROXY: text })).toMatchObject({ trustProxy });
    expect(() => express().set("trust proxy", trustProxy)).not.toThrow();
  });

  test("names every invalid setting at once, each on its own line", () => {
    const lines = refusalOf({ PORT: "x", LOG_LEVEL: "x", HOST: "::1" }).message.split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["PORT", "LOG_LEVEL"]);
  });
});

test("pathOfFileUrl accepts relative paths, absolute paths and URLs", () => {
  const path = resolve("/srv/a b.db");
  expect(["file:data/p.db", "file:/srv/p.db", pathToFileURL(path).href].map(pathOfFileUrl)).toEqual([
    "data/p.db",
    "/srv/p.db",
    path,
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

test.each([
  ["PORT", 0, 65_535, 3000],
  ["SHUTDOWN_DELAY", 0, 300, 15],
  ["SHUTDOWN_TIMEOUT", 0, 300, 10],
  ["WEB_CONCURRENCY", 1, 256, 4],
  ["MAX_IN_FLIGHT", 1, 100_000, 512],
  ["METRICS_PORT", 0, 65_535, 9464],
])("%s must be a whole number from %i to %i, such as %i", (name, least, most, example) => {
  const message = `${name} must be a whole number from ${least} to ${most}. Example: ${name}=${example}`;
  for (const value of [least, most, example]) expect(() => readConfig({ [name]: String(value) })).not.toThrow();
  for (const value of [least - 1, most + 1, "1.5", "0x1", "01", "x"])
    expect(() => readConfig({ [name]: String(value) })).toThrow(new ConfigError(message));
});

test.each([
  ["HOST", "a b", "HOST must be an IP address or a host name. Example: HOST=127.0.0.1"],
  ["METRICS_HOST", "a b", "METRICS_HOST must be an IP address or a host name. Example: METRICS_HOST=127.0.0.1"],
  [
    "RATE_LIMIT",
    "60",
    "RATE_LIMIT must be a number of requests, a slash and a number of seconds. Example: RATE_LIMIT=600/60",
  ],
  [
    "AUTH_FAILURE_LIMIT",
    "60",
    "AUTH_FAILURE_LIMIT must be a number of requests, a slash and a number of seconds. Example: AUTH_FAILURE_LIMIT=20/60",
  ],
])("%s=%s: %s", (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(message));
  const [, right = ""] = message.split(`${name}=`);
  expect(() => readConfig({ [name]: right })).not.toThrow();
});
