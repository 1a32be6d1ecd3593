import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { SERVICE } from "@openapi-operations/command-line/name";
import type { Environment } from "@openapi-operations/service/settings";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 43; // 62^43 is just over 2^256
const CHECKSUM_LENGTH = 6; // 62^6 is over 2^32
const SHOWN_SECRET_LENGTH = 4;

/** The beginnings and patterns of the keys of a service. */
const formatOf = (prefix: string) => ({
  prefix,
  live: `${prefix}_live_`,
  test: `${prefix}_test_`,
  whole: new RegExp(`^${prefix}_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`),
  beginning: new RegExp(`${prefix}_(live|test)_[0-9A-Za-z]{16}`),
});
let known = formatOf("");

/** Returns those of this service, which is named after this module is loaded. */
function format(): typeof known {
  if (known.prefix !== SERVICE.keyPrefix) known = formatOf(SERVICE.keyPrefix);
  return known;
}

/** Generates a key: its environment, such as `pst_live_` in production, then 256 random bits, then a checksum of both. */
export function generateApiKey(environment: Environment): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join("");
  const body = format()[environment === "production" ? "live" : "test"] + secret;
  return body + checksum(body);
}

/** Whether the string has the format and checksum of a key. The check is cheap and avoids database queries for random strings. */
export function isWellFormedApiKey(text: string): boolean {
  return format().whole.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Returns the hash of a well-formed key of the environment, or undefined for any other string. */
export function hashIn(environment: Environment, key: string): string | undefined {
  return isValidIn(environment, key) && isWellFormedApiKey(key) ? hashApiKey(key) : undefined;
}

/** Whether the string contains an API key, even a mistyped or truncated key. Such a string must not be stored or logged. */
export function holdsApiKey(text: string): boolean {
  return format().beginning.test(text);
}

/**
 * Returns the SHA-256 of a key in hexadecimal. The database stores this hash and not the key. A key has 256 random bits, so
 * the hash needs no salt and need not be slow.
 */
export function hashApiKey(key: string): string {
  return hash("sha256", key);
}

/** Returns the start of a key. The prefix suffices to recognize the key, but not to guess the rest. */
export function prefixOfApiKey(key: string): string {
  return key.slice(0, format().test.length + SHOWN_SECRET_LENGTH);
}

/** Returns an environment whose keys have this prefix: production for that of production, development for all others. */
export function environmentOf(prefix: string): Environment {
  return prefix.startsWith(format().live) ? "production" : "development";
}

/** Whether a key or prefix is of the environment. Keys of development and staging, which many people hold, are not of production. */
export function isValidIn(environment: Environment, key: string): boolean {
  return environment !== "production" || environmentOf(key) === "production";
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
