import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Environment } from "@platform/service/settings";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 43; // 62^43 is just over 2^256
const CHECKSUM_LENGTH = 6; // 62^6 is over 2^32
const SHOWN_SECRET_LENGTH = 4;

const format = new RegExp(`^pst_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Generates a key: `pst_live_` in production or `pst_test_` elsewhere, then 256 random bits, then a checksum of both. */
export function generateApiKey(environment: Environment): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join("");
  const body = `pst_${environment === "production" ? "live" : "test"}_${secret}`;
  return body + checksum(body);
}

/** Whether the text has the format and checksum of a key. The check is cheap and avoids database queries for random text. */
export function isWellFormedApiKey(text: string): boolean {
  return format.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Whether the text contains an API key, even a mistyped or truncated key. Such text must not be stored or logged. */
export function holdsApiKey(text: string): boolean {
  return /pst_(live|test)_[0-9A-Za-z]{16}/.test(text);
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
  return key.slice(0, "pst_test_".length + SHOWN_SECRET_LENGTH);
}

/** Returns an environment whose keys have this prefix: production for `pst_live_`, development for all others. */
export function environmentOf(prefix: string): Environment {
  return prefix.startsWith("pst_live_") ? "production" : "development";
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
