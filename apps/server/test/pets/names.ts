import { expect } from "vitest";
import { json, type TestService } from "../petstore.ts";

/** Valid names, by Unicode properties that not every regular expression has: no control character and no lone surrogate. */
const VALID = /^[^\p{Cc}\p{Cs}]*$/u;

/** The number of Unicode code points, including the surrogates. */
export const CODE_POINTS = 0x11_0000;

/** Expects the service to add an animal of this name and to return the name unchanged, or to reject the name. */
export async function expectValidated(service: TestService, name: string, text = JSON.stringify(name)): Promise<void> {
  const response = await service.request("/pets", json(`{"name":${text},"categoryId":1}`));
  const { status } = response;
  const body = (await response.json()) as { name?: string; message?: string };
  const isAdded = isValid(name);
  expect([text, status, isAdded ? body.name : typeof body.message]).toEqual(
    isAdded ? [text, 201, name] : [text, 400, "string"],
  );
}

/** Whether a name is valid: 1 to 255 characters, none of which is forbidden. */
export function isValid(name: string): boolean {
  const { length } = Array.from(name);
  return VALID.test(name) && length >= 1 && length <= 255;
}
