/** Pages of one task, in the order of reading. A page is named by its path from the root, its text is its heading. */
export interface Section {
  text: string;
  pages: (string | Section)[];
}

/** Every page of the site but those that `reference.ts` generates, which are listed under "Reference". */
export const tree: Section[] = [
  {
    text: "Start",
    pages: [
      "README.md",
      "packages/create-openapi-operations/README.md",
      "packages/create-openapi-operations/docs/login.md",
      "apps/storefront/README.md",
      "CONTRIBUTING.md",
      "CODE_OF_CONDUCT.md",
    ],
  },
  {
    text: "Contract",
    pages: [
      "openapi/README.md",
      "openapi/adding-an-operation.md",
      "openapi/adding-a-transaction.md",
      "openapi/updating-and-deleting.md",
      "openapi/decisions.md",
      "packages/contract-tools/README.md",
      "packages/contract-tools/docs/mock.md",
    ],
  },
  {
    text: "Server",
    pages: [
      "packages/express-operations/README.md",
      {
        text: "Guides",
        pages: [
          "packages/express-operations/docs/guides/existing-app.md",
          "packages/express-operations/docs/guides/generate-types.md",
          "packages/express-operations/docs/guides/documents.md",
          "packages/express-operations/docs/guides/authentication.md",
          "packages/express-operations/docs/guides/errors.md",
          "packages/express-operations/docs/guides/hooks.md",
          "packages/express-operations/docs/guides/caching.md",
          "packages/express-operations/docs/guides/formats.md",
          "packages/express-operations/docs/guides/streams.md",
          "packages/express-operations/docs/guides/uploads.md",
          "packages/express-operations/docs/guides/webhooks.md",
          "packages/express-operations/docs/guides/testing.md",
          "packages/express-operations/docs/guides/api-versions.md",
          "packages/express-operations/docs/guides/hosts.md",
          "packages/express-operations/docs/guides/from-express-openapi-validator.md",
          "packages/express-operations/docs/guides/from-openapi-backend.md",
        ],
      },
      "packages/service/README.md",
      "packages/api-keys/README.md",
      "packages/storage/README.md",
      "packages/command-line/README.md",
    ],
  },
  {
    text: "Client",
    pages: [
      "packages/fetch-operations/README.md",
      {
        text: "Guides",
        pages: [
          "packages/fetch-operations/docs/guides/generate.md",
          "packages/fetch-operations/docs/guides/calls.md",
          "packages/fetch-operations/docs/guides/pages.md",
          "packages/fetch-operations/docs/guides/credentials.md",
          "packages/fetch-operations/docs/guides/react.md",
          "packages/fetch-operations/docs/guides/testing.md",
          "packages/fetch-operations/docs/guides/webhooks.md",
          "packages/fetch-operations/docs/guides/openapi-fetch.md",
        ],
      },
      "packages/client/README.md",
      {
        text: "Guides for the petstore",
        pages: [
          "packages/client/docs/guides/options.md",
          "packages/client/docs/guides/errors.md",
          "packages/client/docs/guides/retries.md",
          "packages/client/docs/guides/pages.md",
          "packages/client/docs/guides/react.md",
          "packages/client/docs/guides/testing.md",
          "packages/client/docs/guides/validation.md",
          "packages/client/docs/guides/platforms.md",
          "packages/client/docs/guides/bundle-size.md",
          "packages/client/docs/guides/upgrading.md",
        ],
      },
    ],
  },
  {
    text: "Operate",
    pages: [
      "apps/server/README.md",
      "apps/server/docs/settings.md",
      "apps/server/docs/operations.md",
      {
        text: "Guides",
        pages: [
          "apps/server/docs/operations/deploy.md",
          "apps/server/docs/operations/kubernetes.md",
          "apps/server/docs/operations/proxy.md",
          "apps/server/docs/operations/cors.md",
          "apps/server/docs/operations/rate-limits.md",
          "apps/server/docs/operations/processes.md",
          "apps/server/docs/operations/postgresql.md",
          "apps/server/docs/operations/failover.md",
          "apps/server/docs/operations/patroni.md",
          "apps/server/docs/operations/replicas.md",
          "apps/server/docs/operations/pgbouncer.md",
          "apps/server/docs/operations/backups.md",
          "apps/server/docs/operations/litestream.md",
          "apps/server/docs/operations/api-keys.md",
          "apps/server/docs/operations/monitoring.md",
          "apps/server/docs/operations/upgrade.md",
        ],
      },
      "apps/server/docs/troubleshooting.md",
      "apps/server/docs/scale.md",
      "apps/server/docs/performance.md",
    ],
  },
  {
    text: "Govern",
    pages: [
      "packages/openapi-contract/README.md",
      "packages/openapi-contract/docs/pull-requests.md",
      "apps/server/docs/promises.md",
      "SECURITY.md",
    ],
  },
  {
    text: "Reference",
    pages: [
      "packages/express-operations/docs/reference.md",
      "packages/express-operations/docs/versions.md",
      "packages/fetch-operations/docs/features.md",
      "packages/openapi-document/README.md",
    ],
  },
  {
    text: "Background",
    pages: [
      "ARCHITECTURE.md",
      "apps/server/docs/code.md",
      "packages/express-operations/docs/background.md",
      {
        text: "Decisions",
        pages: [
          "packages/express-operations/docs/decisions/express-and-eov.md",
          "packages/express-operations/docs/decisions/eov-internals.md",
          "packages/express-operations/docs/decisions/validator-per-operation.md",
          "packages/express-operations/docs/decisions/swagger-2.md",
          "packages/express-operations/docs/decisions/files-and-ranges.md",
          "packages/express-operations/docs/decisions/hosts.md",
          "packages/storage/docs/decisions/snapshot-per-turn.md",
          "packages/storage/docs/decisions/pipelined-pg.md",
          "packages/storage/docs/decisions/two-databases.md",
          "packages/contract-tools/docs/decisions/published-packages.md",
          "packages/contract-tools/docs/decisions/two-typescripts.md",
          "packages/create-openapi-operations/docs/decisions/template.md",
          "packages/fetch-operations/docs/decisions/one-package.md",
          "packages/fetch-operations/docs/decisions/imported-parts.md",
          "packages/fetch-operations/docs/decisions/openapi-fetch.md",
          "packages/laboratory/docs/decisions/mutation-testing.md",
        ],
      },
      "packages/laboratory/README.md",
      "apps/site/README.md",
    ],
  },
];
