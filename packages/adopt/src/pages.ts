import { PNPM } from "@platform/command-line";
import type { Names } from "./names.ts";
import type { Security } from "./security-files.ts";
import { verifiersOf } from "./security-files.ts";

/** Returns the pages of the team: how to start, change the contract, and contribute. They are theirs to go on with. */
export function pages(names: Names, security: Security): Record<string, string> {
  return {
    "README.md": readme(names, security),
    "CONTRIBUTING.md": contributing(names),
    "openapi/README.md": contractPage(names),
    "apps/server/README.md": serverPage(names),
  };
}

function readme({ name, title, pascal }: Names, security: Security): string {
  const [hasKeys, hasTokens] = [verifiersOf(security).has("apiKey"), verifiersOf(security).has("token")];
  return `# ${title}

An HTTP service, built contract first. [\`openapi/openapi.yaml\`](openapi/openapi.yaml) is written by hand. The types, the request
validation, the signature of every handler and the client are derived from it.

You need Node 20 or newer with npm, and nothing else. Both commands install missing dependencies. The first creates the database and
starts the service. The second runs every check and test.

\`\`\`sh
${PNPM} start
\`\`\`

\`\`\`sh
${PNPM} test
\`\`\`

\`pnpm …\` is short for \`${PNPM} …\`, on the other pages too.

${hasKeys ? "The first start writes an API key to `data/quickstart.key`. It prints" : "The service prints"} requests to try, and the address of the reference page.
${hasTokens ? "\nThe settings `TOKEN_ISSUER` and `TOKEN_AUDIENCE` name the issuer of tokens. Until they are set, no token is valid.\n" : ""}
## Write an operation

Each operation of the contract has a handler in [\`apps/server/src/resources\`](apps/server/src/resources), one folder for each tag. An
operation belongs to its first tag; without tags, to the first word of its path. A handler that is not written yet is \`stub()\`. It
validates requests, and responds to valid ones with 501.

1. Run \`pnpm dev\`. After each save, it reports the errors and restarts the service.
2. Replace \`stub()\` by a function. The compiler knows its input, and the body of each declared status.
3. Its test in \`apps/server/test\` is skipped while the handler is a stub. Add the data that the test needs.
4. \`pnpm test\` also checks the written operations for conformance to the contract. It counts the stubs.

Until then, \`pnpm mock\` serves the contract from its examples.

## Change the contract

| command | effect |
| --- | --- |
| \`pnpm dev\` | generates, checks types and restarts the service after each save |
| \`pnpm generate\` | writes types, data and the client |
| \`pnpm typecheck\` | names every handler and call that no longer compiles |
| \`pnpm contract check\` | checks whether the contract may be merged |
| \`pnpm scaffold <operationId>\` | writes the stub of a missing handler, and its test |

## Where things are

| folder | content |
| --- | --- |
| [\`openapi\`](openapi/README.md) | the contract and its lint rules |
| [\`apps/server\`](apps/server/README.md) | the service and its command line, \`pnpm ${name}\` |
| [the mock](packages/dev/docs/mock.md) | a server that responds with the contract's examples |
| [\`packages/client\`](packages/client/README.md) | the typed client, \`create${pascal}\` |
| [\`packages\`](ARCHITECTURE.md#packages) | the platform: storage, API keys, the HTTP service, tools and tests |
`;
}

function contributing({ name }: Names): string {
  return `# Contributing

1. Run \`pnpm dev\` and edit.
2. Run the tests of the package: \`pnpm --filter @${name}/server test\`.
3. Format: \`pnpm format\`.
4. Run \`pnpm test\` before you open a pull request. Commit the contract together with its generated files.

## Tests

Tests run the real parts: a server on port 0, SQLite, PostgreSQL. A test that cannot run on a machine is listed as skipped, with the
reason.

## Release

Add a changeset if users of \`@${name}/client\` notice the change: \`pnpm exec changeset\`.

## Later versions of the platform

The packages of the platform keep their names and their places, so git merges later versions:

\`\`\`
git remote add platform <the repository that this one was cloned from>
git fetch platform
git merge platform/main
\`\`\`

Files that \`adopt\` removed stay removed: where git asks, remove them again.
`;
}

function contractPage({ name }: Names): string {
  return `# The contract

[\`openapi.yaml\`](openapi.yaml) is written by hand; it may refer to other files in this folder. The types and data in
[\`packages/contract\`](../packages/contract/src/index.ts) and the client are generated from it. The service validates requests and
responses against it.

## Rules

\`pnpm lint\` checks the contract with Redocly's \`recommended-strict\` and house rules.
[\`redocly.yaml\`](redocly.yaml) turns them on. Rules at \`warn\` are those that the contract did not meet when it was adopted: meet one,
then set it to \`error\`. Rules that need code are in [\`lint-rules.ts\`](../packages/contract-tools/src/lint/lint-rules.ts).

A fault, which breaks OpenAPI itself or a rule in [\`lint.ts\`](../packages/contract-tools/src/lint/lint.ts), stops
\`dev\` until it is corrected. All other rules are of style: \`dev\` lists them and generates. \`contract check\` fails on both.

Words that only the contract uses are in [\`words.txt\`](words.txt), for the spelling check.

## Before it is merged

\`pnpm contract check\` checks the rules, the examples, the generated files and the deprecations. It also compares the
contract with the last release in \`released\`. The most severe change determines the lowest \`info.version\`.

| command | effect |
| --- | --- |
| \`contract check\` | runs every check; exits with 1 if one fails |
| \`contract diff [revision]\` | lists the changes since the last release, or since a git revision such as \`origin/main\` |
| \`contract changelog\` | prints the changelog entry for users of the contract, as Markdown |
| \`contract release\` | saves the contract as released, if it passes every check; a released contract never changes |

A change of the contract requires a version of \`@${name}/client\`. \`pnpm release:check\` says which.

## Decisions

Write the decisions that the contract cannot carry here, each with its reason.
`;
}

function serverPage({ title }: Names): string {
  return `# ${title}: the server

This is the service of [the contract](../../openapi/README.md): an Express app, one database, and the command line that administers
it. [Settings](docs/settings.md) are environment variables. [Operations](docs/operations.md) describes deployment, backups and
monitoring. [Troubleshooting](docs/troubleshooting.md) has each alert and each message.

| file in [\`src\`](src) | content |
| --- | --- |
| \`main.ts\`, \`config.ts\` | the command line, and the settings |
| \`registrations.ts\`, \`migrations.ts\` | every table by name and the handler of each operation; the migrations in order |
| \`security.ts\` | how the credentials of each security scheme are validated |
| \`server.ts\`, \`app.ts\`, \`database.ts\` | the resources of a process, its Express app, and the steps before any process serves |
| \`resources\` | one folder for each tag: handlers, and where it has tables, repository, table and migrations |
`;
}
