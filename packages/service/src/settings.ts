import { isIP } from "node:net";
import { z } from "zod";

/** Where a service runs. Development is a person's own machine. */
export const ENVIRONMENTS = ["development", "staging", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** More proxies than stand in front of a service; header values beyond are not read. */
export const MOST_PROXIES = 32;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const hostname = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const decimal = /^(0|[1-9]\d{0,8})$/;

const NOT_PROXIES = `TRUST_PROXY must be the addresses of proxies or their CIDR blocks, separated by commas, or a number of proxies from 0 to ${MOST_PROXIES}. Set it so: TRUST_PROXY=10.0.0.0/8,::1 or TRUST_PROXY=1`;

/** The settings of a service by the names of their environment variables: what is allowed, the default, and what to say otherwise. */
export const SERVICE_SETTINGS = {
  HOST: address("HOST").default("127.0.0.1"),
  PORT: wholeNumber("PORT", 0, 65_535, 3000).default(3000),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}. Set it so: LOG_LEVEL=info`)
    .default("info"),
  SHUTDOWN_DELAY: wholeNumber("SHUTDOWN_DELAY", 0, 300, 15).default(1),
  SHUTDOWN_TIMEOUT: wholeNumber("SHUTDOWN_TIMEOUT", 0, 300, 10).default(10),
  WEB_CONCURRENCY: wholeNumber("WEB_CONCURRENCY", 1, 256, 4).default(1),
  MAX_IN_FLIGHT: wholeNumber("MAX_IN_FLIGHT", 1, 100_000, 1_000).default(1_000),
  TRUST_PROXY: z
    .string()
    .transform((text) => (decimal.test(text) ? Number(text) : text.split(",").map((block) => block.trim())))
    .refine((trusted) => (Array.isArray(trusted) ? trusted.every(isBlock) : trusted <= MOST_PROXIES), NOT_PROXIES)
    .optional(),
  STRICT_TRANSPORT_SECURITY: z
    .string()
    .regex(
      /^max-age=\d{1,10}(; ?includeSubDomains)?(; ?preload)?$/,
      "STRICT_TRANSPORT_SECURITY must be max-age with seconds, then includeSubDomains and preload if you want them. Set it so: STRICT_TRANSPORT_SECURITY=max-age=31536000 or STRICT_TRANSPORT_SECURITY='max-age=31536000; includeSubDomains'",
    )
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({
      protocol: /^https?$/,
      error:
        "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL. Set it so: OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318",
    })
    .optional(),
  METRICS_HOST: address("METRICS_HOST").default("127.0.0.1"),
  METRICS_PORT: wholeNumber("METRICS_PORT", 0, 65_535, 9464).optional(),
};

/** What a service is started with: every setting checked, every default applied. */
export interface ServiceConfig {
  host: string;
  port: number;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Seconds. */
  shutdownDelay: number;
  /** Seconds, after the delay, until connections that are still open are destroyed. */
  shutdownTimeout: number;
  /** How many processes serve. */
  processes: number;
  maxInFlight: number;
  /** Addresses and CIDR blocks of the proxies whose word counts, or how many there are; as Express's `trust proxy`. */
  trustProxy: string[] | number;
  /** The header of that name, where TLS ends in front of the service. */
  strictTransportSecurity: string | undefined;
  /** The URL of the OpenTelemetry collector, if there is one. */
  tracesEndpoint: string | undefined;
  /** Where `/metrics` is served; undefined when it is not. */
  metrics: { host: string; port: number } | undefined;
}

/**
 * Reads settings from the environment, an empty one counting as unset. Throws `ConfigError` and never repeats a bad value, which
 * may be a secret.
 */
export function readSettings<Settings extends z.ZodType>(
  settings: Settings,
  env: NodeJS.ProcessEnv,
): z.infer<Settings> {
  const set = Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : []));
  const { data, error } = settings.safeParse(Object.fromEntries(set));
  if (error !== undefined) throw new ConfigError(error.issues.map((issue) => issue.message).join("\n"));
  return data;
}

/** Gives the settings the names of the code. */
export function serviceConfig(data: z.infer<z.ZodObject<typeof SERVICE_SETTINGS>>): ServiceConfig {
  return {
    host: data.HOST,
    port: data.PORT,
    logLevel: data.LOG_LEVEL,
    shutdownDelay: data.SHUTDOWN_DELAY,
    shutdownTimeout: data.SHUTDOWN_TIMEOUT,
    processes: data.WEB_CONCURRENCY,
    maxInFlight: data.MAX_IN_FLIGHT,
    trustProxy: data.TRUST_PROXY ?? [],
    strictTransportSecurity: data.STRICT_TRANSPORT_SECURITY,
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    metrics: data.METRICS_PORT === undefined ? undefined : { host: data.METRICS_HOST, port: data.METRICS_PORT },
  };
}

/** A setting that keeps the program from starting; the message is one line for each, naming it and what to do. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

function address(name: string) {
  return z
    .string()
    .refine(
      (host) => isIP(host) !== 0 || hostname.test(host),
      `${name} must be an IP address or a host name. Set it so: ${name}=127.0.0.1`,
    );
}

/** An address, or a block of them as CIDR writes it; not one of all addresses, which would trust whoever writes the header. */
function isBlock(text: string): boolean {
  const [base = "", prefix, ...more] = text.split("/");
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(base)]!;
  if (more.length > 0 || base.includes("%")) return false;
  return prefix === undefined ? bits > 0 : decimal.test(prefix) && Number(prefix) > 0 && Number(prefix) <= bits;
}

function wholeNumber(name: string, least: number, most: number, example: number) {
  return z
    .string()
    .refine(
      (text) => decimal.test(text) && Number(text) >= least && Number(text) <= most,
      `${name} must be a whole number from ${least} to ${most}. Set it so: ${name}=${example}`,
    )
    .transform(Number);
}
