import { describe, expect, test } from "vitest";
import { baseRequest, type GrowingInput, growingInputs } from "../src/conformance/cost/inputs.ts";
import { operationsOf, type OpenApiDocument, type OperationEntry } from "openapi-document";
import { document as market } from "./fixtures/market.ts";

const text = { type: "string" };
const path = (name: string) => ({ in: "path", name, required: true, schema: text });
const stock = {
  openapi: "3.1.0",
  paths: {
    "/goods/{id}": {
      put: {
        operationId: "setGood",
        parameters: [
          path("id"),
          { in: "query", name: "of day", required: true, schema: { ...text, example: "mon" } },
          { in: "header", name: "accept", schema: text },
          { in: "header", name: "X-Shelf", required: true, schema: { type: "integer" } },
          { in: "cookie", name: "till", schema: text },
        ],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: { title: text, codes: { type: "array", items: { type: "integer" } } },
              },
              example: { title: "Tea", price: 1 },
            },
          },
        },
        responses: {},
      },
    },
    "/lists": {
      post: {
        operationId: "addList",
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "array",
                items: { type: "object", required: ["a"], properties: { a: { type: "integer" } } },
              },
            },
          },
        },
        responses: {},
      },
    },
  },
} as unknown as OpenApiDocument;

/** Returns the part of a request that an input makes larger. */
function grown(input: GrowingInput, size: number): string {
  const request = input.request(size);
  const [kind = "", name = ""] = input.title.split(/ |:/);
  switch (kind) {
    case "query":
      return request.query;
    case "path":
      return request.path;
    case "authority":
      return request.authority!;
    case "header":
      return request.headers.find(([own]) => own === name)![1];
    default:
      return request.body!;
  }
}

/** Returns the repeated text in a title: the text before the ellipsis, as sent. */
function announced(title: string): string | undefined {
  const shown = title
    .replace(/^(query|authority) /, "")
    .replace(/^header [^:]+: /, "")
    .replace(/^path (\S+ )?/, "")
    .replace(/^body application\/json (\w+): /, '"$1":')
    .replace(/^body \S+ /, "");
  if (!shown.includes("…") || /item,…|h0: |again and again|^.*--X/.test(shown)) return undefined;
  return shown.slice(0, shown.indexOf("…"));
}

const entries = [market, stock].flatMap((document) => operationsOf(document).map((entry) => ({ document, entry })));

describe.each(entries)("the inputs of $entry.id", ({ document, entry }) => {
  const inputs = growingInputs(document, entry, {});

  test("grow with the requested size, and have unique titles", () => {
    for (const input of inputs) {
      const [least, small, large] = [grown(input, 50).length, grown(input, 1_000).length, grown(input, 8_000).length];
      const what = `${entry.id}: ${input.title} (${least}, ${small}, ${large})`;
      expect(large - small, what).toBeGreaterThan(7_000 * 0.4);
      expect(large - small, what).toBeLessThan(7_000 * 1.3);
    }
    const titles = inputs.map(({ title }) => title);
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  });

  test("contain the text of their titles", () => {
    const wrong = inputs.filter((input) => {
      const shown = announced(input.title);
      return shown !== undefined && !grown(input, 1_000).includes(shown);
    });
    expect(
      wrong.map((input) => `${input.title} | ${announced(input.title)} | ${grown(input, 100)}`).slice(0, 9),
    ).toEqual([]);
  });
});

/** Returns the growing part and the parameters of the inputs, by the start of their titles. */
function ofParts(document: OpenApiDocument, entry: OperationEntry): Record<string, string> {
  const parts = growingInputs(document, entry, {}).map(({ title, of, part }) => {
    const [start = ""] = title.split(/[=:]|(?<=^(?:path \S+|body|authority)) /);
    return [start, [part, ...of].join(", ")];
  });
  return Object.fromEntries(
    parts.filter(([start = ""]) => /^(query [a-z]+|header \S+|path \{.*|body|authority)$/.test(start)),
  ) as Record<string, string>;
}

test("inputs name the growing part of the request, and the limit for it", () => {
  const [stalls] = operationsOf(market);
  expect(ofParts(market, stalls!)).toMatchObject({
    "query size": "target, query size",
    "query min": "target, query size",
    "query lat": "target, query near",
    "query key": "target",
    "query undeclared": "target",
    "header X-List": "head, header X-List",
    "header Accept": "head",
    authority: "target",
  });
  const [good] = operationsOf(stock);
  expect(ofParts(stock, good!)).toMatchObject({
    "path {id}": "target, path id",
    "header Accept": "head",
    "header X-Shelf": "head, header X-Shelf",
    body: "body, body",
  });
  const cookies = growingInputs(stock, good!, {}).filter(({ title }) => title.startsWith("header Cookie: till="));
  expect(cookies.map(({ of }) => of)).toEqual(cookies.map(() => ["cookie till"]));
  expect(cookies.length).toBeGreaterThan(10);
});

test("the rest of a request has the examples of the document and the credentials", () => {
  const [good] = operationsOf(stock);
  const credentials = { headers: { Authorization: "Bearer x" }, query: { key: "k" } };
  const base = baseRequest(stock, good!, credentials);
  const headers = [
    ["authorization", "Bearer x"],
    ["content-type", "application/json"],
    ["x-shelf", "1"],
  ];
  expect(base).toEqual({
    method: "PUT",
    path: "/goods/x",
    query: "?of%20day=mon&key=k",
    headers,
    body: '{"title":"Tea","price":1}',
  });
  const inputs = new Map(growingInputs(stock, good!, credentials).map((input) => [input.title, input]));
  const at = (title: string) => inputs.get(title)!.request(10);
  expect(at("query undeclared=aa…")).toEqual({ ...base, query: "?of%20day=mon&key=k&undeclared=a" });
  expect(at("path {id} aa…")).toEqual({ ...base, path: "/goods/aaaaaaaaaa" });
  expect(at("authority aa…")).toEqual({ ...base, authority: "aaaaaaaaaa" });
  expect(at("header X-Shelf: aa…")).toEqual({ ...base, headers: [...headers.slice(0, 2), ["X-Shelf", "aaaaaaaaaa"]] });
  expect(at("header Origin: aa…")).toEqual({ ...base, headers: [...headers, ["Origin", "aaaaaaaaaa"]] });
  expect(at("header Cookie: till=aa…")).toEqual({ ...base, headers: [...headers, ["Cookie", "till=aaaaa"]] });
  const json = [headers[0], headers[2], ["Content-Type", "application/json"]];
  expect(at("body application/json aa…")).toEqual({ ...base, headers: json, body: "aaaaaaaaaa" });
  expect(inputs.get('body application/json title: "aa…"')!.request(40).body).toBe(
    `{"price":1,"title":"${"a".repeat(18)}"}`,
  );
  expect(inputs.get("body application/json codes: [1,1,…1]")!.request(40).body).toBe(
    '{"title":"Tea","price":1,"codes":[1,1]}',
  );
  const [, list] = operationsOf(stock);
  const whole = growingInputs(stock, list!, {}).find(({ title }) => title === "body application/json [item,…]");
  expect(whole!.request(24).body).toBe('[{"a":1},{"a":1}]');
});

test("parts of a body are separated by the boundary of its Content-Type", () => {
  const [, add] = operationsOf(market);
  const inputs = growingInputs(market, add!, {}).filter(({ title }) => title.startsWith("body multipart/form-data "));
  for (const input of inputs) {
    const { headers, body } = input.request(2_000);
    const [, boundary] = /^multipart\/form-data; boundary=(X{30})$/.exec(
      headers.find(([name]) => name === "Content-Type")![1],
    )!;
    expect(body!.endsWith(`--${boundary}--\r\n`), input.title).toBe(true);
    const parts = body!.split(`--${boundary}\r\n`);
    expect(parts.length, input.title).toBeGreaterThan(1);
    expect(body, input.title).toContain('Content-Disposition: form-data; name="');
  }
  const bodyOf = (title: string, size = 300) => {
    const input = inputs.find((one) => one.title.startsWith(`body multipart/form-data ${title}…`))!;
    return input
      .request(size)
      .body!.replaceAll("X".repeat(30), "B")
      .replaceAll("Content-Disposition: form-data; ", "")
      .replaceAll("\r\n", "|");
  };
  expect(bodyOf('--X|name="tags"||1|--X|name="tags"||1|')).toMatch(/^(--B\|name="tags"\|\|1\|){2,}--B--\|$/);
  expect(bodyOf('--X|name="tags[]"||1|--X|name="tags[]"||1|')).toMatch(/^(--B\|name="tags\[\]"\|\|1\|){2,}--B--\|$/);
  expect(bodyOf('--X|name="photo"; filename="f"||1|--X|name="photo"; filename="f"||1|')).toMatch(
    /^(--B\|name="photo"; filename="f"\|\|1\|){2,}--B--\|$/,
  );
  expect(bodyOf('--X|name="more[k0]"||1|--X|name="more[k1]"||1|')).toMatch(
    /^--B\|name="more\[k0\]"\|\|1\|--B\|name="more\[k1\]"\|\|1\|--B/,
  );
  expect(bodyOf('--X|name="k0"||1|--X|name="k1"||1|')).toMatch(/^--B\|name="k0"\|\|1\|--B\|name="k1"\|\|1\|--B/);
  expect(bodyOf('--X|name="name"|||-|-', 150)).toMatch(/^--B\|name="name"\|\|(\|-)+\|--B--\|$/);
  expect(bodyOf('--X|name="b;;', 150)).toMatch(/^--B\|name="b;+"\|\|1\|--B--\|$/);
  expect(bodyOf('--X|name="b"; a=b; a=b', 150)).toMatch(/^--B\|name="b"(; a=b)+\|\|1\|--B--\|$/);
  expect(bodyOf("--", 150)).toMatch(/^-+B\|name="b"\|\|1\|--B--\|$/);
  expect(bodyOf('--X|name="b"|h0: a|h1: a|', 150)).toMatch(/^--B\|name="b"\|h0: a\|(h\d: a\|)*\|1\|--B--\|$/);
});
