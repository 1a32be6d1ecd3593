/** Writes a page for each entry of the published packages, from its types and comments. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { Application, type DocumentationEntryPoint, LogLevel, OptionDefaults, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import ts from "typescript";
import { GENERATED, GENERATED_TITLE, publishedEntries } from "./pages.ts";

const FORM: PluginOptions = {
  outputFileStrategy: "modules",
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  interfacePropertiesFormat: "table",
  parametersFormat: "table",
  sanitizeComments: true,
  tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true },
  typeDeclarationFormat: "table",
  useCodeBlocks: true,
};

/** Rejects if an entry cannot be read. */
export async function writeReference(): Promise<void> {
  const out = join(root, GENERATED);
  const options: Partial<TypeDocOptions> = {
    plugin: ["typedoc-plugin-markdown"],
    name: GENERATED_TITLE,
    outputs: [{ name: "markdown", path: out }],
    blockTags: [...OptionDefaults.blockTags, "@description"], // of generated types
    disableSources: true,
    exclude: ["**/src/generated/schema.ts"],
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    logLevel: LogLevel.Error,
    readme: "none",
    ...FORM,
  };
  const app = await Application.bootstrapWithPlugins(options);
  const project = app.converter.convert(entryPoints());
  rmSync(out, { recursive: true, force: true });
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error("The reference could not be written; see above.");
}

/** The compiler with an API reads what TypeScript 7 has checked. */
function entryPoints(): DocumentationEntryPoint[] {
  const entries = [...publishedEntries().values()].flat();
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), (file) => ts.sys.readFile(file)) as {
    config: { compilerOptions: object };
  };
  const settings = { ...config.compilerOptions, lib: ["esnext", "dom"] };
  const { options } = ts.convertCompilerOptionsFromJson(settings, join(root, "apps/site"));
  const paths = entries.map(({ source }) => join(root, source));
  const program = ts.createProgram(paths, options);
  return entries.map(({ name }, index) => {
    return { displayName: name, program, sourceFile: program.getSourceFile(paths[index]!)! };
  });
}
