import { expect, test } from "vitest";
import { settingsPage } from "../src/settings-page.ts";

/** The lines of the page that change. */
const page = `| \`RATE_LIMIT\` | unset | requests/seconds for each API key, such as \`600/60\` |
| \`AUTH_FAILURE_LIMIT\` | unset | requests/seconds with an invalid API key from one address |

Create production keys with \`PETSTORE_ENV=production\`.
`;
const schemes = {
  key: { type: "apiKey", in: "header", name: "X-Key" },
  jwt: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
  user: { type: "http", scheme: "basic" },
};
const pageFor = (...names: (keyof typeof schemes)[]) =>
  settingsPage(page, { schemes: new Map(names.map((name) => [name, schemes[name]])) });

test("the settings of tokens have rows where the contract has tokens, and nowhere else", () => {
  expect(pageFor("jwt").match(/^\| `TOKEN_\w+` \| unset \| \S/gm)).toHaveLength(3);
  expect(pageFor("key", "user")).not.toContain("TOKEN_");
});

test("the limit of requests names the callers of the contract", () => {
  expect(pageFor("key")).toContain("requests/seconds for each API key, such as");
  expect(pageFor("jwt", "user")).toContain("requests/seconds for each subject of tokens and each user, such as");
  expect(pageFor()).toContain(
    "requests/seconds for each caller with credentials, of which the contract has none, such as",
  );
});

test("without API keys, the page says that the commands for keys have no effect", () => {
  expect(pageFor("jwt")).toMatch(/\nNo operation of the contract accepts API keys\. .*\n$/);
  expect(pageFor("key")).toContain("Create production keys with");
});
