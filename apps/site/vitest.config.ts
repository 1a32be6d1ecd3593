export { default } from "@platform/test-support/vitest-config";
