import { SERVICE } from "@openapi-operations/command-line/name";
import { describe, expect, test } from "vitest";
import {
  environmentOf,
  generateApiKey,
  hashApiKey,
  holdsApiKey,
  isWellFormedApiKey,
  prefixOfApiKey,
} from "../src/api-key.ts";

const [LIVE, TEST] = [`${SERVICE.keyPrefix}_live_`, `${SERVICE.keyPrefix}_test_`];

describe("generateApiKey", () => {
  test("contains live only in production", () => {
    expect(generateApiKey("production")).toMatch(new RegExp(`^${LIVE}[0-9A-Za-z]{49}$`));
    expect(generateApiKey("staging")).toMatch(new RegExp(`^${TEST}[0-9A-Za-z]{49}$`));
    expect(generateApiKey("development")).toMatch(new RegExp(`^${TEST}[0-9A-Za-z]{49}$`));
  });

  test("returns unique, well-formed keys with evenly distributed characters", () => {
    const keys = Array.from({ length: 2_000 }, () => generateApiKey("development"));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every(isWellFormedApiKey)).toBe(true);

    const counts = new Map<string, number>();
    for (const character of keys.map((key) => key.slice(TEST.length, TEST.length + 43)).join(""))
      counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (2_000 * 43) / 62; // about 1387, with a standard deviation of 37
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(6.5 * 37);
  });
});

describe("isWellFormedApiKey", () => {
  const body = `${TEST}0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg`;
  const known = body + base62(crc32(body));

  test("accepts a key that was computed independently", () => {
    expect(isWellFormedApiKey(known)).toBe(true);
  });

  test("rejects a key with one changed character", () => {
    const key = generateApiKey("production");
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === "A" ? "B" : "A";
      expect(isWellFormedApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
  });

  test("rejects a cut or padded key, and other text", () => {
    for (const text of [
      "",
      TEST,
      known.slice(1),
      known.slice(0, -1),
      `${known} `,
      `${known}\n`,
      `${known}0`,
      known.toUpperCase(),
    ]) {
      expect(isWellFormedApiKey(text)).toBe(false);
    }
  });
});

test("hashApiKey is SHA-256 in hexadecimal", () => {
  expect(hashApiKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("prefixOfApiKey shows four characters of the secret", () => {
  expect(prefixOfApiKey(`${LIVE}0123456789`)).toBe(`${LIVE}0123`);
});

test("holdsApiKey finds a key within other text, even mistyped or cut, but not only its prefix", () => {
  const key = generateApiKey("production");
  for (const text of [key, `my ${key}!`, key.slice(0, 30), `${key.slice(0, -1)}?`])
    expect(holdsApiKey(text)).toBe(true);
  for (const text of ["", "Rex", LIVE, `${TEST}Rex`, key.slice(LIVE.length)]) expect(holdsApiKey(text)).toBe(false);
});

test("environmentOf returns an environment whose keys have the same prefix", () => {
  for (const environment of ["development", "staging", "production"] as const) {
    const prefix = prefixOfApiKey(generateApiKey(environment));
    expect(generateApiKey(environmentOf(prefix)).slice(0, LIVE.length)).toBe(prefix.slice(0, LIVE.length));
  }
});

test("the checksum of the test is that of Python's zlib", () => {
  const known = "pst_test_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg";
  expect(known + base62(crc32(known))).toBe(`${known}1YM3uj`);
});

/** CRC-32 bit by bit (RFC 1952, section 8), unlike that of the code. */
function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
}

/** Six digits of 0-9A-Za-z. */
function base62(value: number): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return Array.from({ length: 6 }, (_, at) => digits[Math.floor(value / 62 ** (5 - at)) % 62]).join("");
}
