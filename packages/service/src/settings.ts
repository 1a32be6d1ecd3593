import { isIP } from "node:net";
import { SERVICE } from "@openapi-operations/command-line/name";
import { z } from "zod";

/** The environments that a service is deployed to. `development` is a developer's own machine. */
export const ENVIRONMENTS = ["development", "staging", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The largest number of proxies in front of a service. Further entries of forwarding headers are not read. */
export const MAX_PROXIES = 32;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const hostname = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const decimal = /^(0|[1-9]\d{0,8})$/;

/** An IP address or a CIDR block. Blocks of all addresses (`/0`) are invalid, since they would trust every client. */
const block = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).refine((text) => !text.endsWith("/0"));

const INVALID_TRUST_PROXY = `TRUST_PROXY must be a comma-separated list of IP addresses and CIDR blocks of proxies, or a number of proxies from 0 to ${MAX_PROXIES}. Example: TRUST_PROXY=10.0.0.0/8,::1 or TRUST_PROXY=1`;

/** The settings of a service, each with its validation, default and error message. `variableOf` returns the environment variable. */
export const SERVICE_SETTINGS = {
  SERVICE_ENV: z
    .enum(ENVIRONMENTS, {
      error: () => {
        const name = variableOf("SERVICE_ENV");
        return `${name} must be one of ${ENVIRONMENTS.join(", ")}. Example: ${name}=development`;
      },
    })
    .default("development"),
  HOST: address("HOST").default("127.0.0.1"),
  PORT: wholeNumber("PORT", 0, 65_535, 3000).default(3000),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}. Example: LOG_LEVEL=info`)
    .default("info"),
  SHUTDOWN_DELAY: wholeNumber("SHUTDOWN_DELAY", 0, 300, 15).default(1),
  SHUTDOWN_TIMEOUT: wholeNumber("SHUTDOWN_TIMEOUT", 0, 300, 10).default(10),
  WEB_CONCURRENCY: wholeNumber("WEB_CONCURRENCY", 1, 256, 4).default(1),
  MAX_IN_FLIGHT: wholeNumber("MAX_IN_FLIGHT", 1, 100_000, 512).default(512),
  TRUST_PROXY: z
    .string()
    .transform((text) => (decimal.test(text) ? Number(text) : text.split(",").map((part) => part.trim())))
    .refine(
      (trusted) =>
        Array.isArray(trusted) ? trusted.every((text) => block.safeParse(text).success) : trusted <= MAX_PROXIES,
      INVALID_TRUST_PROXY,
    )
    .optional(),
  STRICT_TRANSPORT_SECURITY: z
    .string()
    .regex(
      /^max-age=\d{1,10}(; ?includeSubDomains)?(; ?preload)?$/,
      "STRICT_TRANSPORT_SECURITY must be max-age in seconds, optionally followed by includeSubDomains and preload. Example: STRICT_TRANSPORT_SECURITY=max-age=31536000 or STRICT_TRANSPORT_SECURITY='max-age=31536000; includeSubDomains'",
    )
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({
      protocol: /^https?$/,
      error:
        "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL. Example: OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
    })
    .optional(),
  METRICS_HOST: address("METRICS_HOST").default("127.0.0.1"),
  METRICS_PORT: wholeNumber("METRICS_PORT", 0, 65_535, 9464).optional(),
};

/** The validated settings of a service, with defaults applied. */
export type ServiceConfig = ReturnType<typeof serviceConfig>;

/**
 * Reads settings from environment variables. An empty variable counts as unset. Throws `ConfigError`, whose message never
 * contains the invalid value, since it may be a secret.
 */
export function readSettings<Settings extends z.ZodRawShape>(
  settings: Settings,
  env: NodeJS.ProcessEnv,
): z.infer<z.ZodObject<Settings>> {
  const set = Object.keys(settings).map((name) => [name, env[variableOf(name)]?.trim() || undefined]);
  const { data, error } = z.object(settings).safeParse(Object.fromEntries(set));
  if (error !== undefined) throw new ConfigError(error.issues.map((issue) => issue.message).join("\n"));
  return data;
}

/** Returns the environment variable of a setting: its name, where `SERVICE_` stands for the prefix of this service, such as `MY_SHOP_`. */
export function variableOf(setting: string): string {
  return setting.replace(/^SERVICE_/, `${SERVICE.settingsPrefix}_`);
}

/** Returns validated environment variables as the settings of a service. */
export function serviceConfig(data: z.infer<z.ZodObject<typeof SERVICE_SETTINGS>>) {
  return {
    environment: data.SERVICE_ENV,
    host: data.HOST,
    port: data.PORT,
    logLevel: data.LOG_LEVEL,
    /** In seconds. */
    shutdownDelay: data.SHUTDOWN_DELAY,
    /** In seconds, from the end of the delay. Connections that are still open then are destroyed. */
    shutdownTimeout: data.SHUTDOWN_TIMEOUT,
    /** The number of processes that serve. */
    processes: data.WEB_CONCURRENCY,
    maxInFlight: data.MAX_IN_FLIGHT,
    /** The addresses and CIDR blocks of trusted proxies, or their number, as for Express's `trust proxy`. */
    trustProxy: data.TRUST_PROXY ?? [],
    /** The value of the header `Strict-Transport-Security`, for a service behind a proxy that terminates TLS. */
    strictTransportSecurity: data.STRICT_TRANSPORT_SECURITY,
    /** The URL of the OpenTelemetry collector; undefined without tracing. */
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    /** The address of `/metrics`; undefined without metrics. */
    metricsAddress: data.METRICS_PORT === undefined ? undefined : { host: data.METRICS_HOST, port: data.METRICS_PORT },
  };
}

/** Thrown for invalid settings. The message has one line for each invalid setting, with its name and the remedy. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

function address(name: string) {
  return z
    .string()
    .refine(
      (host) => isIP(host) !== 0 || hostname.test(host),
      `${name} must be an IP address or a host name. Example: ${name}=127.0.0.1`,
    );
}

function wholeNumber(name: string, min: number, max: number, example: number) {
  return z
    .string()
    .refine(
      (text) => decimal.test(text) && Number(text) >= min && Number(text) <= max,
      `${name} must be a whole number from ${min} to ${max}. Example: ${name}=${example}`,
    )
    .transform(Number);
}
