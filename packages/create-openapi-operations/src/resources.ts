import { basename } from "node:path";
import {
  handlersFileOf,
  placeOf,
  type Place,
  resourceFileOf,
  testsOf,
} from "@openapi-operations/contract-tools/scaffold-files";
import type { OpenApiDocument, OperationEntry } from "openapi-document";
import type { Files } from "./project.ts";
import type { Names } from "./names.ts";

/** The operations of one resource, and its files. */
export interface ResourcePlan {
  place: Place;
  entries: OperationEntry[];
}

/** Returns a resource for each tag, in the order of the contract. */
export function resourcesOf(entries: OperationEntry[]): ResourcePlan[] {
  const byFile = Map.groupBy(
    entries.map((entry) => ({ entry, place: placeOf(entry, entries) })),
    ({ place }) => place.handlersFile,
  );
  return Array.from(byFile.values(), (planned) => ({
    place: planned[0]!.place,
    entries: planned.map(({ entry }) => entry),
  }));
}

/** Returns the files of the resources: handlers that are stubs, the registration, and tests that say what to write. */
export function resourceFiles(document: OpenApiDocument, resources: ResourcePlan[], { name }: Names): Files {
  return new Map(
    resources.flatMap(({ place, entries }) => {
      const ids = entries.map(({ id }) => id);
      return [
        [place.handlersFile, handlersFileOf(ids, place, `@${name}/contract`)],
        [place.resourceFile, resourceFileOf(place)],
        [`apps/server/test/${folderOf(place)}.test.ts`, testsOf(document, entries, place)],
      ];
    }),
  );
}

/** Returns the name of the folder of a resource. */
export function folderOf({ handlersFile }: Place): string {
  return basename(handlersFile, ".handlers.ts");
}
