import { isIP } from "node:net";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { ConfigError } from "./config-error.ts";
import { isDatabaseUrl, isPostgresUrl, NOT_A_DATABASE, pathOfFileUrl } from "./database/url.ts";
import { MOST_PROXIES } from "./http/forwarded.ts";
import type { RateLimits } from "./rate-limits.ts";

const ENVIRONMENTS = ["development", "staging", "production"] as const;
const VALIDATIONS = ["shortcut", "always"] as const;
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const hostname = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const decimal = /^(0|[1-9]\d{0,8})$/;

const NOT_PROXIES = `TRUST_PROXY must be the addresses of proxies or their CIDR blocks, separated by commas, or a number of proxies from 0 to ${MOST_PROXIES}. Set it so: TRUST_PROXY=10.0.0.0/8,::1 or TRUST_PROXY=1`;

/** The settings by the names of their environment variables: what is allowed, the default, and what to say otherwise. */
export const Settings = z.object({
  HOST: address("HOST").default("127.0.0.1"),
  PORT: wholeNumber("PORT", 0, 65_535, 3000).default(3000),
  DATABASE_URL: z.string().refine(isDatabaseUrl, NOT_A_DATABASE).default("file:data/petstore.db"),
  PETSTORE_ENV: z
    .enum(ENVIRONMENTS, `PETSTORE_ENV must be one of ${ENVIRONMENTS.join(", ")}. Set it so: PETSTORE_ENV=development`)
    .default("development"),
  PETSTORE_BOOTSTRAP_KEY_FILE: z.string().optional(),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}. Set it so: LOG_LEVEL=info`)
    .default("info"),
  VALIDATION: z
    .enum(VALIDATIONS, `VALIDATION must be one of ${VALIDATIONS.join(", ")}. Set it so: VALIDATION=shortcut`)
    .default("shortcut"),
  SHUTDOWN_DELAY: wholeNumber("SHUTDOWN_DELAY", 0, 300, 15).default(1),
  SHUTDOWN_TIMEOUT: wholeNumber("SHUTDOWN_TIMEOUT", 0, 300, 10).default(10),
  WEB_CONCURRENCY: wholeNumber("WEB_CONCURRENCY", 1, 256, 4).default(1),
  MAX_IN_FLIGHT: wholeNumber("MAX_IN_FLIGHT", 1, 100_000, 1_000).default(1_000),
  TRUST_PROXY: z
    .string()
    .transform((text) => (decimal.test(text) ? Number(text) : text.split(",").map((block) => block.trim())))
    .refine((trusted) => (Array.isArray(trusted) ? trusted.every(isBlock) : trusted <= MOST_PROXIES), NOT_PROXIES)
    .optional(),
  RATE_LIMIT: rateLimit("RATE_LIMIT", "600/60").optional(),
  AUTH_FAILURE_LIMIT: rateLimit("AUTH_FAILURE_LIMIT", "20/60").optional(),
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
});

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

function rateLimit(name: string, example: string) {
  return z
    .string()
    .regex(
      /^[1-9]\d{0,6}\/[1-9]\d{0,4}$/,
      `${name} must be a number of requests and of seconds. Set it so: ${name}=${example}`,
    )
    .transform((text) => {
      const [requests = 0, seconds = 0] = text.split("/").map(Number);
      return { requests, seconds };
    });
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

/** What the service is started with: every setting checked, every default applied. */
export interface Config {
  host: string;
  port: number;
  databaseUrl: string;
  environment: (typeof ENVIRONMENTS)[number];
  /** Path of a file with the key to begin with. */
  bootstrapKeyFile: string | undefined;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Whether plain requests are judged by the compiled schemas alone, or all by express-openapi-validator as a whole. */
  validation: (typeof VALIDATIONS)[number];
  /** Seconds. */
  shutdownDelay: number;
  /** Seconds, after the delay, until connections that are still open are destroyed. */
  shutdownTimeout: number;
  /** How many processes serve. */
  processes: number;
  maxInFlight: number;
  /** Addresses and CIDR blocks of the proxies whose word counts, or how many there are; as Express's `trust proxy`. */
  trustProxy: string[] | number;
  rateLimits: RateLimits;
  /** The header of that name, where TLS ends in front of the service. */
  strictTransportSecurity: string | undefined;
  /** The URL of the OpenTelemetry collector, if there is one. */
  tracesEndpoint: string | undefined;
  /** Where `/metrics` is served; undefined when it is not. */
  metrics: { host: string; port: number } | undefined;
  /** Where development keeps a key for trying things out: beside the database file, or in `data`, named by the database. */
  quickstartFile: string;
}

/** The settings in `env`, an empty one counting as unset; throws `ConfigError` and never repeats a bad value, which may be a secret. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const set = Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : []));
  const { data, error } = Settings.safeParse(Object.fromEntries(set));
  if (error !== undefined) throw new ConfigError(error.issues.map((issue) => issue.message).join("\n"));
  return {
    host: data.HOST,
    port: data.PORT,
    databaseUrl: data.DATABASE_URL,
    environment: data.PETSTORE_ENV,
    bootstrapKeyFile: data.PETSTORE_BOOTSTRAP_KEY_FILE,
    logLevel: data.LOG_LEVEL,
    validation: data.VALIDATION,
    shutdownDelay: data.SHUTDOWN_DELAY,
    shutdownTimeout: data.SHUTDOWN_TIMEOUT,
    processes: data.WEB_CONCURRENCY,
    maxInFlight: data.MAX_IN_FLIGHT,
    trustProxy: data.TRUST_PROXY ?? [],
    rateLimits: { perKey: data.RATE_LIMIT, failuresPerAddress: data.AUTH_FAILURE_LIMIT },
    strictTransportSecurity: data.STRICT_TRANSPORT_SECURITY,
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    metrics: data.METRICS_PORT === undefined ? undefined : { host: data.METRICS_HOST, port: data.METRICS_PORT },
    quickstartFile: quickstartFile(data.DATABASE_URL),
  };
}

/** Named by the database where that is not the usual one, so that two in one folder do not replace each other's key. */
function quickstartFile(databaseUrl: string): string {
  if (isPostgresUrl(databaseUrl)) {
    const { host, pathname } = new URL(databaseUrl);
    return join("data", `${[host.replace(":", "-"), pathname.slice(1)].filter(Boolean).join("-")}.quickstart.key`);
  }
  const path = pathOfFileUrl(databaseUrl);
  const file = basename(path) === "petstore.db" ? "quickstart.key" : `${basename(path)}.quickstart.key`;
  return join(dirname(path), file);
}
