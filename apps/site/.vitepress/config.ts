import { fileURLToPath } from "node:url";
import { root } from "@platform/test-support/clone";
import { defineConfig } from "vitepress";
import { asOnGitHub, slugOf } from "../src/markdown.ts";
import { EXCLUDED, sidebar, sitePathOf, versions } from "../src/pages.ts";

export default defineConfig({
  title: "Petstore",
  description: "Services and clients from an OpenAPI contract",
  lang: "en-GB",
  srcDir: root,
  srcExclude: EXCLUDED,
  rewrites: sitePathOf,
  outDir: "dist",
  cacheDir: "node_modules/.cache/vitepress",
  additionalConfig: {}, // otherwise each `config.ts` of the repository would be one
  cleanUrls: true,
  markdown: {
    anchor: { slugify: slugOf },
    // What only VitePress knows would be shown otherwise on GitHub.
    attrs: false,
    container: false,
    emoji: false,
    include: false,
    snippet: false,
    toc: false,
    languageAlias: { haproxy: "txt", text: "txt" },
    config: asOnGitHub,
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        detailedView: true,
        miniSearch: {
          // A guide before the reference that it links to.
          searchOptions: { boostDocument: (id: string) => (id.startsWith("/reference/") ? 0.3 : 1) },
        },
      },
    },
    nav: [{ text: "Versions", items: versions() }],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    externalLinkIcon: true,
  },
  vite: {
    publicDir: false,
    // The folders of the pages have no Vue; its bundle for browsers renders the pages too.
    resolve: {
      alias: [
        { find: /^vue$/, replacement: fileURLToPath(import.meta.resolve("vue/dist/vue.runtime.esm-bundler.js")) },
        { find: /^vue\/server-renderer$/, replacement: fileURLToPath(import.meta.resolve("vue/server-renderer")) },
      ],
    },
    server: {
      fs: { deny: [".env", ".env.*", "*.{crt,pem,key}", "**/.git/**", "**/data/**"] },
      watch: { ignored: ["**/{data,dist,.turbo}/**"] },
    },
    plugins: [
      {
        name: "modules as they are",
        enforce: "post",
        // VitePress would look for its dependencies in the folder of the pages, and Vite for those of every page of the repository.
        config: (config) => void (config.optimizeDeps = { noDiscovery: true }),
      },
    ],
    build: { chunkSizeWarningLimit: 5_000 }, // the index of the search, which is loaded when it is used
  },
});
