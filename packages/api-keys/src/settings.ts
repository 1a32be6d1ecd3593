import { SETTINGS_PREFIX } from "@platform/command-line/name";
import { z } from "zod";

/** The setting that names a file with the first key. */
export const BOOTSTRAP_KEY_FILE = `${SETTINGS_PREFIX}_BOOTSTRAP_KEY_FILE` as const;

/** The settings of API keys by environment variable, each with its validation and error message. */
export const API_KEY_SETTINGS = {
  [BOOTSTRAP_KEY_FILE]: z.string().optional(),
  RATE_LIMIT: rateLimit("RATE_LIMIT", "600/60").optional(),
  AUTH_FAILURE_LIMIT: rateLimit("AUTH_FAILURE_LIMIT", "20/60").optional(),
};

/** Returns validated environment variables as the settings of API keys. */
export function apiKeyConfig(data: z.infer<z.ZodObject<typeof API_KEY_SETTINGS>>) {
  return {
    /** The path of a file with the first key. */
    bootstrapKeyFile: data[BOOTSTRAP_KEY_FILE],
    rateLimits: { perCaller: data.RATE_LIMIT, failuresPerAddress: data.AUTH_FAILURE_LIMIT },
  };
}

function rateLimit(name: string, example: string) {
  return z
    .string()
    .regex(
      /^[1-9]\d{0,6}\/[1-9]\d{0,4}$/,
      `${name} must be a number of requests, a slash and a number of seconds. Example: ${name}=${example}`,
    )
    .transform((text) => {
      const [requests = 0, seconds = 0] = text.split("/").map(Number);
      return { requests, seconds };
    });
}
