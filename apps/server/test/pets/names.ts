import { expect } from "vitest";
import { json, type TestService } from "../service.ts";

/** Which names are valid, in words that not every regular expression has: no control character and no lone surrogate. */
const VALID = /^[^\p{Cc}\p{Cs}]*$/u;

/** The characters of Unicode, and the halves that are none. */
export const CODE_POINTS = 0x11_0000;

/** Expects the service to add an animal of this name and to return the name unchanged, or to refuse the name. */
export async function expectJudged(service: TestService, name: string, text = JSON.stringify(name)): Promise<void> {
  const response = await service.request("/pets", json(`{"name":${text},"categoryId":1}`));
  const { status } = response;
  const body = (await response.json()) as { name?: string; message?: string };
  const isValid = VALID.test(name) && [...name].length >= 1 && [...name].length <= 255;
  expect([text, status, isValid ? body.name : typeof body.message]).toEqual(
    isValid ? [text, 201, name] : [text, 400, "string"],
  );
}

/** Whether a text of one code point is valid. */
export function isValid(codePoint: number): boolean {
  return VALID.test(String.fromCodePoint(codePoint));
}
