import { describe, expect, test } from "vitest";
import { faulty } from "./faulty.ts";

const PETS = JSON.stringify([{ id: 1, name: "Rex", categoryId: 1, status: "available" }]);

/** A list whose next page has the given target. */
const linking = (target: string) => (_request: unknown, response: { writeHead: Function; end: Function }) => {
  response.writeHead(200, { "Content-Type": "application/json", Link: `<${target}>; rel="next"` });
  response.end(PETS);
};

describe("a path value that would lead elsewhere is an unsendable_request, and nothing is sent:", () => {
  test.each<[value: unknown, reason: string]>([
    ["", 'The path parameter "petId" is empty.'],
    [".", 'A path parameter makes the segment "{petId}" ".".'],
    ["..", 'A path parameter makes the segment "{petId}" "..".'],
    [["."], 'A path parameter makes the segment "{petId}" ".".'],
    [{ toString: () => ".." }, 'A path parameter makes the segment "{petId}" "..".'],
    [[], 'A path parameter makes the segment "{petId}" "".'],
    [undefined, 'The path parameter "petId" is undefined.'],
    [null, 'The path parameter "petId" is null.'],
    [Number.NaN, '"petId" is NaN. Pass a finite number.'],
    [{}, '"petId" is an object. Its contract declares a plain value.'],
  ])("%j", async (value, reason) => {
    await using server = await faulty(linking(""));
    const petId = value as number;
    const message = `A value of the request cannot be sent. ${reason}`;
    for (const call of [
      () => server.petstore.getPet({ petId }),
      () => server.petstore.GET("/pets/{petId}", { params: { path: { petId } } }),
    ]) {
      const result = await call();
      expect(result.error).toMatchObject({ code: "unsendable_request", message });
      await expect(call().orThrow()).rejects.toMatchObject({ code: "unsendable_request", message, url: undefined });
    }
    expect(server.requests).toEqual([]);
  });

  test.each(["...", "%2e%2e", "../pets", "a/..", "\\..", "?", "#", "%"])("but %j is sent encoded", async (value) => {
    await using server = await faulty(linking(""));
    await server.petstore.getPet({ petId: value as never });
    expect(server.requests).toEqual([`GET /v1/pets/${encodeURIComponent(value)}`]);
  });
});

describe("a link to the next page is followed only below the base URL:", () => {
  test.each([
    "/",
    "/v10/pets?cursor=a",
    "/v1",
    "/admin/keys",
    "/v1/../admin/keys",
    "../admin",
    "/v1/%2e%2e/admin",
    "/v1/a%2f..%2f..%2fadmin",
    "/v1/..%5cadmin",
    "\\admin",
  ])("not %s", async (target) => {
    await using server = await faulty(linking(target));
    const read = async () => {
      const names: string[] = [];
      try {
        for await (const { name } of server.petstore.paginate.listPets()) names.push(name);
      } catch (error) {
        return [names, error];
      }
      return [names];
    };
    const [names, error] = await read();
    expect(names).toEqual(["Rex"]);
    expect(error).toMatchObject({
      name: "PetstoreError",
      code: "unreadable_answer",
      message: "The response 200 (application/json) links to a next page outside the base URL.",
    });
    expect(server.requests).toEqual(["GET /v1/pets"]);
  });

  test.each([
    "//elsewhere.example/v1/pets",
    "https://elsewhere.example/v1/pets",
    "http://127.0.0.1:1/v1/pets",
    "data:,",
  ])("not %s, of another origin", async (target) => {
    await using server = await faulty(linking(target));
    const pages = server.petstore.paginate.listPets().pages()[Symbol.asyncIterator]();
    await pages.next();
    await expect(pages.next()).rejects.toThrow("links to a next page of another origin");
    expect(server.requests).toHaveLength(1);
  });

  test("a page that is no array is a PetstoreError", async () => {
    await using server = await faulty((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json", "X-Request-Id": "r-1" }).end('{"pets":[]}');
    });
    const first = server.petstore.paginate.listPets()[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({
      name: "PetstoreError",
      code: "unreadable_answer",
      message: "The response 200 (application/json) has no list of items.",
      requestId: "r-1",
      bodyStart: '{"pets":[]}',
    });
  });
});
