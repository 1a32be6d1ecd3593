import { expect, test } from "vitest";
import { call, type Connection, connectTo, connectWith, type Operation } from "../src/index.ts";
import { api, read } from "./shop.ts";

const operation = read as Operation<[input?: object, options?: object], { ok: boolean }>;

/** Returns a connection to a service that responds with these tokens in turn, and the tokens and hosts of its requests. */
function connected(tokens: (string | undefined)[], connect = connectTo) {
  const sent: [host: string, token: string | null][] = [];
  const fetch = async ({ url, headers }: Request): Promise<Response> => {
    sent.push([new URL(url).host, headers.get("Consistency-Token")]);
    const token = tokens.shift();
    return Response.json(1, { headers: token === undefined ? {} : { "Consistency-Token": token } });
  };
  const connection: Connection = connect(api, { baseUrl: "http://one.test", fetch });
  return { sent, request: (options?: object) => call(connection, operation, {}, options) };
}

test("a client sends the greatest token of the responses back, in whatever order they come", async () => {
  const { sent, request } = connected(["0000a", "0000c", "0000b", undefined, undefined]);
  for (let count = 0; count < 5; count++) await request();
  expect(sent.map(([, token]) => token)).toEqual([null, "0000a", "0000c", "0000c", "0000c"]);
});

test("the token of one service is not sent to another", async () => {
  const { sent, request } = connected(["0000a"]);
  await request();
  await request({ baseUrl: "http://two.test" });
  expect(sent).toEqual([
    ["one.test", null],
    ["two.test", null],
  ]);
});

test("the token of another client, given to a call, counts from then on unless the client has a greater one", async () => {
  const { sent, request } = connected(["0000b"]);
  await request();
  for (const given of ["0000f", "0000a"]) await request({ headers: { "consistency-token": given } });
  await request();
  expect(sent.map(([, token]) => token)).toEqual([null, "0000f", "0000f", "0000f"]);
});

test("a connection without the part sends no token", async () => {
  const { sent, request } = connected(["0000a"], connectWith);
  await request();
  await request();
  expect(sent[1]).toEqual(["one.test", null]);
});
