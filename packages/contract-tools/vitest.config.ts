export { default } from "@express-operations/test-support/vitest-config";
