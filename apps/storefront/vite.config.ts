import { defineConfig } from "vite";

/** The oldest browsers that the client supports. */
export default defineConfig({ build: { target: ["chrome120", "firefox124", "safari17.4"] } });
