import { z } from "zod";
import type { RateLimits } from "./rate-limits.ts";

/** The settings of API keys by the names of their environment variables: what is allowed, and what to say otherwise. */
export const API_KEY_SETTINGS = {
  PETSTORE_BOOTSTRAP_KEY_FILE: z.string().optional(),
  RATE_LIMIT: rateLimit("RATE_LIMIT", "600/60").optional(),
  AUTH_FAILURE_LIMIT: rateLimit("AUTH_FAILURE_LIMIT", "20/60").optional(),
};

/** What API keys are served with. */
export interface ApiKeyConfig {
  /** Path of a file with the key to begin with. */
  bootstrapKeyFile: string | undefined;
  rateLimits: RateLimits;
}

/** Gives the settings the names of the code. */
export function apiKeyConfig(data: z.infer<z.ZodObject<typeof API_KEY_SETTINGS>>): ApiKeyConfig {
  return {
    bootstrapKeyFile: data.PETSTORE_BOOTSTRAP_KEY_FILE,
    rateLimits: { perKey: data.RATE_LIMIT, failuresPerAddress: data.AUTH_FAILURE_LIMIT },
  };
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
