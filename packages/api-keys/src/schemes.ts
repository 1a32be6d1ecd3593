import { TOKEN_SETTINGS, type TokenConfig, tokenConfig } from "@openapi-operations/service/token-settings";
import type { TokenCaller } from "@openapi-operations/service/verify-token";
import type { Storage } from "@openapi-operations/storage/storage";
import type { SecurityHandler } from "express-operations";
import type { Authenticated } from "./authentication.ts";
import type { ApiKeysTables } from "./keys.table.ts";

/** The owner of credentials. */
interface AnyCaller {
  id: number | string;
  name: string;
}

/**
 * How the credentials of each security scheme are validated, by the name of the scheme: `apiKey` as a key of the service, `token` as
 * a token of the issuer in the settings, anything else by a function. A scheme that the service does not support yet has
 * `() => undefined`, which rejects each credential.
 */
export type Schemes = Readonly<Record<string, "apiKey" | "token" | SecurityHandler<AnyCaller>>>;

/** The caller of a request whose credentials are validated so; undefined if there are no schemes. */
export type CallerOf<Given extends Schemes> = [CallerBy<Given[keyof Given]>] extends [never]
  ? undefined
  : CallerBy<Given[keyof Given]>;

type CallerBy<Validation> = Validation extends "apiKey"
  ? Authenticated["caller"]
  : Validation extends "token"
    ? TokenCaller
    : Validation extends (...input: never[]) => infer Result
      ? Extract<Awaited<Result>, { caller: unknown }>["caller"]
      : never;

/** The input that every handler gets: the caller, and the storage with the tables of the handler and of API keys. */
export interface HandlerContext<Given extends Schemes, Tables = unknown> {
  caller: CallerOf<Given>;
  context: Storage<Tables & ApiKeysTables>;
}

/** The settings that tokens need, if a scheme has tokens. */
type SettingsOf<Given extends Schemes> = "token" extends Given[keyof Given] ? typeof TOKEN_SETTINGS : object;

/** Returns the settings of the schemes, each with its validation and error message. */
export function securitySettings<Given extends Schemes>(schemes: Given): SettingsOf<Given> {
  return (hasTokens(schemes) ? TOKEN_SETTINGS : {}) as SettingsOf<Given>; // as the type says
}

/** Returns validated environment variables as the configuration of the schemes. It is empty without tokens. */
export function securityConfig(data: object): Partial<TokenConfig> {
  return "TOKEN_ISSUER" in data ? tokenConfig(data as Parameters<typeof tokenConfig>[0]) : {};
}

/** Whether a scheme has tokens. */
export function hasTokens(schemes: Schemes): boolean {
  return Object.values(schemes).includes("token");
}
