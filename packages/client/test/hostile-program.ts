import type { RequestListener } from "node:http";

/** A service that breaks the contract in the way that the cursor of a list names. */
export const hostile: RequestListener = (request, response) => {
  const head = (status: number, headers: Record<string, string> = {}) =>
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
  const { authorization = "" } = request.headers;
  const answers: Record<string, () => unknown> = {
    page: () => head(200, { "Content-Type": "text/html" }).end("<p>Welcome"),
    echo: () => head(502, { "Content-Type": "text/html" }).end(`<p>${authorization} ${"x".repeat(5_000)}`),
    empty: () => head(200).end(),
    incomplete: () => head(200).end('[{"id":1'),
    broken: () => head(200, { "Content-Length": "100" }).write("[", () => response.destroy()),
    closed: () => request.socket.destroy(),
    redirect: () => head(302, { Location: "/v1/pets?cursor=target" }).end(),
    large: () => head(200).end(JSON.stringify("x".repeat(100_000))),
    rounded: () => head(200).end('[{"id":9007199254740993}]'),
    undeclared: () => head(206).end("[]"),
    foreign: () => head(200, { Link: '<https://evil.example/v1/pets>; rel="next"' }).end("[]"),
    outside: () => head(200, { Link: '</admin>; rel="next"' }).end("[]"),
    list: () => head(200).end("{}"),
    slow: () => {},
  };
  const { searchParams } = new URL(request.url!, "http://localhost");
  return (answers[searchParams.get("cursor")!] ?? (() => head(500).end()))();
};

/** JavaScript for every runtime: `outcomes` tries each kind of answer, path and option, and returns the codes of the failures. */
export const HOSTILE_PROGRAM = `import { createPetstore } from "@petstore/client";

async function outcomes(baseUrl, apiKey) {
  const options = { baseUrl, apiKey, retry: false, onDeprecated: false, maxResponseBytes: 10_000, attemptTimeout: 2_000 };
  const petstore = createPetstore(options);
  const found = {};
  for (const cursor of ["page", "empty", "incomplete", "broken", "closed", "redirect", "large", "rounded", "undeclared", "slow"])
    found[cursor] = (await petstore.listPets({ cursor })).error?.code;
  const { bodyStart = "" } = (await petstore.listPets({ cursor: "echo" })).error;
  found.echo = [bodyStart.length <= 1_024, bodyStart.includes(apiKey)];
  for (const cursor of ["foreign", "outside", "list"]) {
    const reading = (async () => {
      for await (const _ of petstore.paginate.listPets({ cursor }));
    })();
    found[cursor] = await reading.then(() => "read", (error) => error.name + " " + error.code);
  }
  for (const petId of ["", ".", "..", "%2e%2E", null, undefined])
    found["path " + petId] = (await petstore.getPet({ petId })).error?.code;
  const rejection = (own) => petstore.listPets({}, own).then(() => "sent", (error) => error.name);
  found.options = [await rejection({ timout: 5 }), await rejection({ retry: 5 }), await rejection({ timeout: -1 })];
  const broken = createPetstore({ ...options, fetch: () => undefined.x });
  found.fetch = await broken.listPets().then(() => "sent", (error) => error.name);
  return JSON.stringify(found);
}
`;

const UNREADABLE = "unreadable_answer";

/** The result of `outcomes` in every runtime. */
export const OUTCOMES = {
  page: UNREADABLE,
  empty: UNREADABLE,
  incomplete: UNREADABLE,
  broken: "network_error",
  closed: "network_error",
  redirect: "http_302",
  large: "response_too_large",
  rounded: UNREADABLE,
  undeclared: "http_206",
  slow: "timeout",
  echo: [true, false],
  foreign: `PetstoreError ${UNREADABLE}`,
  outside: `PetstoreError ${UNREADABLE}`,
  list: `PetstoreError ${UNREADABLE}`,
  "path ": "unsendable_request",
  "path .": "unsendable_request",
  "path ..": "unsendable_request",
  "path %2e%2E": UNREADABLE, // sent as `%252e%252E`
  "path null": "unsendable_request",
  "path undefined": "unsendable_request",
  options: ["TypeError", "TypeError", "TypeError"],
  fetch: "TypeError",
};
