/**
 * The files that belong to the petstore and not to the platform, as patterns of paths from the root. `adopt` removes them. The
 * files that it writes in their places have the same paths.
 */
export const PETSTORE_FILES = [
  // the contract, its tutorial and its releases
  "openapi/**",
  // the resource with its tables and migrations
  "apps/server/src/resources/pets/**",
  // the tests that send requests to the pets
  "apps/server/test/**",
  // benchmarks, censuses and mutation testing of the platform and the petstore
  "packages/laboratory/**",
  // the shop front
  "apps/storefront/**",
  // pages with measurements and guarantees of the petstore
  "apps/server/README.md",
  "apps/server/docs/{code,performance,promises}.md",
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CODE_OF_CONDUCT.md",
  // the client's documentation, examples and tests
  "packages/client/{README,CHANGELOG}.md",
  "packages/client/{examples,test}/**",
  "packages/client/src/generated/**",
  // tests of packages with the petstore's contract
  "packages/dev/test/mock/petstore.test.ts",
  "packages/contract-tools/test/{contract,contract.long,every-change.long,generated-files}.test.ts",
  "packages/contract-tools/test/temporary-contract.ts",
  "packages/dev/test/{book-visit,reader}.ts",
  "packages/dev/test/{dev.long.test,follow-tutorial,tutorial.*.long.test}.ts",
  "packages/repository/test/{contract-lint,hover,promises,readme.long}.test.ts",
  // the tests that adopt other contracts: a repository is adopted once
  "packages/adopt/test/*.long.test.ts",
  // the changes of the petstore's packages since their release
  ".changeset/[!R]*.md",
];

/** Files of the platform in the folders above, which stay. */
export const KEPT_FILES = [
  "apps/server/test/program.setup.ts",
  "apps/server/test/settings-page.test.ts",
  "apps/server/test/monitoring/*.test.ts",
];

/** Folders whose files keep their names, so that later versions of the platform merge. */
export const PLATFORM_FOLDERS = [
  "packages/adopt/",
  "packages/api-keys/",
  "packages/command-line/",
  "packages/contract-tools/",
  "packages/dev/",
  "packages/express-operations/",
  "packages/fetch-operations/",
  "packages/openapi-document/",
  "packages/repository/src/",
  "packages/service/",
  "packages/storage/",
  "packages/test-support/",
  "packages/tokens/",
];
