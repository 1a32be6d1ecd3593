import type { Violation } from "express-operations";
import { describe, expect, test } from "vitest";
import { createMetrics } from "../src/observability/metrics.ts";
import { createLogger } from "../src/observability/request-log.ts";
import { operationOptions } from "../src/operation-options.ts";
import { ConfigError, ENVIRONMENTS, readSettings, SERVICE_SETTINGS, serviceConfig } from "../src/settings.ts";

describe("settings", () => {
  const read = (env: NodeJS.ProcessEnv) => serviceConfig(readSettings(SERVICE_SETTINGS, env));

  const DEFAULTS = {
    environment: "development",
    host: "127.0.0.1",
    port: 3000,
    logLevel: "info",
    shutdownDelay: 1,
    shutdownTimeout: 10,
    processes: 1,
    maxInFlight: 512,
    trustProxy: [],
    strictTransportSecurity: undefined,
    tracesEndpoint: undefined,
    metricsAddress: undefined,
  };

  test("every missing or empty setting has a default", () => {
    expect(read({})).toStrictEqual(DEFAULTS);
    expect(read({ HOST: "", PORT: " ", LOG_LEVEL: "", HOME: "/home/rex" })).toStrictEqual(DEFAULTS);
  });

  test("every setting is read, without surrounding white space", () => {
    const env = {
      SERVICE_ENV: "production",
      HOST: "::",
      PORT: " 0 ",
      LOG_LEVEL: "silent",
      SHUTDOWN_DELAY: "15",
      SHUTDOWN_TIMEOUT: "20",
      WEB_CONCURRENCY: "4",
      MAX_IN_FLIGHT: "64",
      TRUST_PROXY: "10.0.0.0/8, ::1",
      STRICT_TRANSPORT_SECURITY: "max-age=600; includeSubDomains; preload",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example:4318",
      METRICS_HOST: "10.0.0.1",
      METRICS_PORT: "9464",
    };
    expect(read(env)).toStrictEqual({
      environment: "production",
      host: "::",
      port: 0,
      logLevel: "silent",
      shutdownDelay: 15,
      shutdownTimeout: 20,
      processes: 4,
      maxInFlight: 64,
      trustProxy: ["10.0.0.0/8", "::1"],
      strictTransportSecurity: "max-age=600; includeSubDomains; preload",
      tracesEndpoint: "https://collector.example:4318",
      metricsAddress: { host: "10.0.0.1", port: 9464 },
    });
    expect(read({ METRICS_PORT: "9464" }).metricsAddress).toEqual({ host: "127.0.0.1", port: 9464 });
  });

  test.each([
    ["PORT", 0, 65_535],
    ["SHUTDOWN_DELAY", 0, 300],
    ["SHUTDOWN_TIMEOUT", 0, 300],
    ["WEB_CONCURRENCY", 1, 256],
    ["MAX_IN_FLIGHT", 1, 100_000],
    ["METRICS_PORT", 0, 65_535],
  ])("%s is a whole number from %i to %i", (name, least, most) => {
    for (const value of [least, least + 1, most]) expect(() => read({ [name]: String(value) })).not.toThrow();
    for (const value of [least - 1, most + 1, "1.5", "0x1", "01", "1e1", "x"]) expectRefusal(name, String(value));
  });

  describe("the setting accepts valid values and rejects others:", () => {
    test.each<[name: string, allowed: string[], refused: string[]]>([
      ["HOST", ["a", "A-1.example", "::1", "10.0.0.1"], ["-a", "a-", "a b", "http://a", "a/"]],
      ["METRICS_HOST", ["localhost"], [".a", "a."]],
      ["LOG_LEVEL", ["fatal", "error", "warn", "info", "debug", "trace", "silent"], ["verbose"]],
      [
        "STRICT_TRANSPORT_SECURITY",
        ["max-age=0", "max-age=1; preload", "max-age=1;includeSubDomains;preload"],
        ["max-age=", "max-age=1;", "xmax-age=1", "max-age=1x", "max-age=12345678901", "true"],
      ],
      [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        ["http://127.0.0.1:4318", "https://a.example/base"],
        ["localhost:4318", "ftp://a.example", "xhttp://a.example", "https2://a.example", "a"],
      ],
      [
        "TRUST_PROXY",
        ["0", "32", "::1", "10.0.0.1", "10.0.0.0/1", "10.0.0.0/32", "::/128", "2001:db8::/32 , 10.0.0.1"],
        ["33", "-1", "01", "true", "10.0.0.1,", "10.0.0.1,x", "proxy.local", "fe80::1%eth0", "fe80::1%eth0/64"],
      ],
      [
        "TRUST_PROXY",
        [],
        ["10.0.0.0/0", "::/0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/1.5", "x/0", "x/8"],
      ],
    ])("%s", (name, allowed, refused) => {
      for (const value of allowed) expect(() => read({ [name]: value })).not.toThrow();
      for (const value of refused) expectRefusal(name, value);
    });
  });

  test("an error names every invalid setting, one per line", () => {
    const { message } = refusalOf({ PORT: "x", LOG_LEVEL: "x", HOST: "::1" });
    expect(message.split("\n").map((line) => line.split(" ")[0])).toEqual(["PORT", "LOG_LEVEL"]);
  });

  test("TRUST_PROXY is a number of proxies or a list of addresses", () => {
    expect(read({ TRUST_PROXY: "2" }).trustProxy).toBe(2);
    expect(read({ TRUST_PROXY: "10.0.0.1" }).trustProxy).toEqual(["10.0.0.1"]);
  });

  /** Expects one line with the setting and an allowed value, but without the invalid value, because it may be a secret. */
  function expectRefusal(name: string, value: string): void {
    const { name: kind, message } = refusalOf({ [name]: value });
    expect([kind, message.split("\n").length, message.startsWith(`${name} `)]).toEqual(["ConfigError", 1, true]);
    const [, example = ""] = new RegExp(`${name}=([^ ']+)`).exec(message)!;
    expect(example).not.toBe(value);
    expect(() => read({ [name]: example })).not.toThrow();
  }

  function refusalOf(env: NodeJS.ProcessEnv): ConfigError {
    try {
      read(env);
    } catch (error) {
      if (error instanceof ConfigError) return error;
    }
    throw new Error(`No ConfigError for ${JSON.stringify(env)}`);
  }
});

describe("options of operations", () => {
  const VIOLATION: Violation = {
    operationId: "createThing",
    status: 201,
    pointer: "/name",
    valueType: "string",
    message: "must NOT have fewer than 1 characters",
  };

  /** Returns the options in an environment, the logged lines and the counted violations. */
  function optionsIn(environment: (typeof ENVIRONMENTS)[number]) {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger("info", {
      write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    });
    const observer = createMetrics(1);
    const counted = async () => {
      const text = await observer.registry.metrics();
      return /contract_violations_total\{operation_id="createThing"\} (\d)/.exec(text)?.[1];
    };
    return { ...operationOptions({ environment, logger, observer }), lines, counted };
  }

  test("in development every response is checked, and a violation throws an error that names its place", async () => {
    const { checkResponses, onViolation, lines, counted } = optionsIn("development");
    expect(checkResponses).toBe("always");
    expect(() => onViolation(VIOLATION)).toThrow(
      expect.objectContaining({
        name: "ContractViolation",
        message: expect.stringMatching(/createThing.*201.*\/name/),
      }),
    );
    expect([await counted(), lines]).toEqual(["1", []]);
  });

  test.each(["staging", "production"] as const)(
    "in %s a sample of responses is checked, and a violation is logged and counted",
    async (environment) => {
      const { checkResponses, onViolation, lines, counted } = optionsIn(environment);
      expect(checkResponses).toEqual({ sample: 0.01 });
      onViolation(VIOLATION);
      expect(await counted()).toBe("1");
      expect(lines).toMatchObject([{ level: 50, violation: VIOLATION }]);
    },
  );

  test.each(ENVIRONMENTS)("in %s every operation is compiled before the first request", (environment) => {
    expect(optionsIn(environment).warm).toBe(true);
  });

  test("the observer is optional", () => {
    const logger = createLogger("silent");
    expect(() => operationOptions({ environment: "production", logger }).onViolation(VIOLATION)).not.toThrow();
  });
});
