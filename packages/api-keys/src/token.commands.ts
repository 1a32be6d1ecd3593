import { parseDuration } from "@openapi-operations/command-line";
import { ConfigError } from "@openapi-operations/service/settings";
import type { Command } from "commander";
import { developmentKeyFile, type KeyedConfig, type KeyedService } from "./settings.ts";

/** Adds `token`, which prints a token to try operations with. Outside of development, the issuer in the settings makes tokens. */
export function addTokenCommand(program: Command, { scopes, readConfig }: KeyedService<any>): void {
  program
    .command("token")
    .description("print a token for development, while no issuer is set")
    .option("--subject <sub>", "whose token it is", "developer")
    .option("--scopes <scopes>", "its scopes, separated by commas (default: all of the contract)")
    .option("--expires-in <duration>", "when it expires", parseDuration, parseDuration("1h"))
    .action(async ({ subject, scopes: wanted, expiresIn }: { subject: string; scopes?: string; expiresIn: number }) => {
      const config = readConfig(process.env) as KeyedConfig & { tokenIssuer?: object };
      if (config.environment !== "development")
        throw new ConfigError(
          `The service issues tokens in development only, and this is ${config.environment}. Get one from the issuer in TOKEN_ISSUER.`,
        );
      if (config.tokenIssuer !== undefined)
        throw new ConfigError(
          "TOKEN_ISSUER is set, so only tokens of that issuer are valid. Get one from it, or unset TOKEN_ISSUER.",
        );
      const { developmentIssuer, signDevelopmentToken } =
        await import("@openapi-operations/service/development-tokens"); // with jose
      const token = await signDevelopmentToken(developmentIssuer(developmentKeyFile(config)), {
        subject,
        scopes: wanted?.split(",") ?? scopes,
        seconds: Math.floor(expiresIn / 1_000),
      });
      console.log(token);
    });
}
