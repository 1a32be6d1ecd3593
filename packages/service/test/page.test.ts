import { expect, test } from "vitest";
import { decodeCursor, encodeCursor, page } from "../src/page.ts";

const ROWS = [-5, 1, 2, 7, 9].map((id) => ({ id }));

async function find({ limit, after = -Infinity }: { limit: number; after: number | undefined }) {
  return ROWS.filter(({ id }) => id > after).slice(0, limit);
}

const input = (query: object) => ({ query: { limit: 2, ...query }, requestPath: "/v1/things" });

test("the links lead to every row once, and the last page has no link", async () => {
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const answer = await page(input({ ...(cursor && { cursor }) }), find);
    if (answer.status !== 200) throw new Error(`answered with ${answer.status}`);
    pages.push(answer.body.map(({ id }) => id));
    const next = answer.headers.Link && /^<(.*)>; rel="next"$/.exec(answer.headers.Link)![1]!;
    cursor = next === undefined ? undefined : new URL(next, "http://x").searchParams.get("cursor")!;
  } while (cursor !== undefined);
  expect(pages).toEqual([[-5, 1], [2, 7], [9]]);
});

test("the link repeats the query, with the cursor of the last row", async () => {
  const query = {
    cursor: encodeCursor(-5),
    status: "sold & new",
    isOld: false,
    missing: undefined,
    tags: ["a", "b&c"],
  };
  const answer = await page(input(query), find);
  expect(answer).toEqual({
    status: 200,
    headers: {
      Link: `</v1/things?limit=2&cursor=${encodeCursor(2)}&status=sold+%26+new&isOld=false&tags=a&tags=b%26c>; rel="next"`,
    },
    body: [{ id: 1 }, { id: 2 }],
  });
});

test("special characters of the path are escaped in the link", async () => {
  const answer = await page({ ...input({}), requestPath: '/shops/a>;rel="x",<b/things' }, find);
  expect(answer).toMatchObject({
    headers: { Link: expect.stringContaining("</shops/a%3E;rel=%22x%22,%3Cb/things?limit=2&") },
  });
});

test.each([0, -2, NaN])("a limit of %i throws, because the contract must declare a minimum", async (limit) => {
  await expect(page(input({ limit }), find)).rejects.toThrow('Declare minimum: 1 for "limit"');
});

test("a query parameter that is an object throws, because the link cannot repeat it", async () => {
  await expect(page(input({ filter: { a: 1 } }), find)).rejects.toThrow('the object "filter"');
});

test("a page with the last row has no link", async () => {
  expect(await page(input({ limit: 5 }), find)).toEqual({ status: 200, headers: {}, body: ROWS });
  expect(await page(input({ cursor: encodeCursor(9) }), find)).toEqual({ status: 200, headers: {}, body: [] });
});

test("an invalid cursor gets 400 without a query", async () => {
  const answer = await page(input({ cursor: "abc" }), () => expect.unreachable());
  expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request", status: 400 } });
});

test.each([0, 1, -1, 42, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
  "decodeCursor reads the cursor after %i",
  (id) => {
    expect(decodeCursor(encodeCursor(id))).toBe(id);
  },
);

test.each([
  "",
  "x",
  "MTo5OTk5OTk5OTk5OTk5OTk5",
  "MToy=",
  "MToy ",
  "MjoxMg",
  "MTowMQ",
  "MToxLjU",
  "MTotMA",
  "MTo5MDA3MTk5MjU0NzQwOTky",
])("decodeCursor rejects %o", (cursor) => expect(decodeCursor(cursor)).toBeUndefined());
