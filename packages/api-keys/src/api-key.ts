import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Environment } from "@platform/service/settings";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 43; // 62^43 is just over 2^256
const CHECKSUM_LENGTH = 6; // 62^6 is over 2^32
const SHOWN_OF_SECRET = 4;

const format = new RegExp(`^pst_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new key: `pst_live_` in production or `pst_test_` elsewhere, 256 random bits, and a checksum of all before it. */
export function generateApiKey(environment: Environment): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join("");
  const body = `pst_${environment === "production" ? "live" : "test"}_${secret}`;
  return body + checksum(body);
}

/** Whether the text has the form of a key and its checksum is right; cheap, so that noise never reaches the database. */
export function isWellFormedApiKey(text: string): boolean {
  return format.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Whether the text holds an API key, be it mistyped or cut: such text is neither stored nor logged. */
export function holdsApiKey(text: string): boolean {
  return /pst_(live|test)_[0-9A-Za-z]{16}/.test(text);
}

/** SHA-256 of a key, in hexadecimal: all that is kept of it. Its 256 random bits need no salt and no slow hash. */
export function hashApiKey(key: string): string {
  return hash("sha256", key);
}

/** The start of a key, by which a person recognises it and nobody can guess it. */
export function prefixOfApiKey(key: string): string {
  return key.slice(0, "pst_test_".length + SHOWN_OF_SECRET);
}

/** The environment, as far as a key tells it, that a key with this prefix was made for. */
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
