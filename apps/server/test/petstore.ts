import type { Pet } from "@petstore/contract";
import { expect } from "vitest";
import * as testing from "../testing/service.ts";

/** A running petstore. It checks what holds for every response to `request`. */
export interface TestService extends testing.TestService {
  /** Adds an animal and returns it as in the response. */
  addPet: (pet?: object) => Promise<Pet>;
}

/** Starts the petstore on a free port, over a new database unless the settings name another. */
export async function startService(env: NodeJS.ProcessEnv = {}): Promise<TestService> {
  const service = await testing.startService(env);
  const request: TestService["request"] = async (path, init = {}) => {
    const response = await service.request(path, init);
    await expectWellFormed(response.clone(), init.method);
    return response;
  };
  return {
    ...service,
    request,
    addPet: async (pet = { name: "Rex", categoryId: 1 }) => {
      const response = await request("/pets", json(pet));
      expect(response.status).toBe(201);
      return (await response.json()) as Pet;
    },
  };
}

/** A POST of a value as JSON; a string is sent as it stands. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** Expects an Error body with this status and code, and gives its message. */
export async function expectError(response: Response, status: number, code: string): Promise<string> {
  const body = (await response.json()) as { message: string };
  expect({ httpStatus: response.status, ...body }).toEqual({
    httpStatus: status,
    status,
    code,
    message: expect.any(String),
  });
  return body.message;
}

/** The form of every response: JSON throughout, and outside 2xx and 304 exactly an Error whose status is the response's. */
async function expectWellFormed(response: Response, method = "GET"): Promise<void> {
  if (method === "HEAD" || response.status === 204 || response.status === 304) {
    expect(await response.text()).toBe("");
    return;
  }
  expect(response.headers.get("Content-Type")).toBe("application/json");
  const body: unknown = await response.json();
  if (response.ok) return;
  expect(body).toEqual({
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.any(String),
    status: response.status,
  });
}
