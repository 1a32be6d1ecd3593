import type { Readable } from "node:stream";
import {
  type FilePart,
  type Handlers,
  implement,
  type OpenApiDocument,
  type PartOf,
  type StreamedInput,
  type ValuePart,
} from "../src/index.ts";

/** Checked only by `tsc`: each line after `@ts-expect-error` has an error, and no other line has one. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_Assertion extends true>() => {};

interface Answer {
  200: { headers: { [name: string]: unknown }; content: { "application/json": { id: number } } };
}
interface Photo {
  photo: string;
  size?: number;
  kind: "a" | "b";
  tags?: string[];
  owner: { name: string };
}
interface operations {
  upload: {
    parameters: { path: { shelf: string }; query?: never };
    requestBody: { content: { "image/*": string; "application/json": { a: 1 }; "multipart/form-data": Photo } };
    responses: Answer;
  };
  replace: { parameters: object; requestBody?: { content: { "text/plain": string } }; responses: Answer };
  remove: { parameters: object; requestBody?: never; responses: Answer };
}
interface Env {
  caller: { user: string };
}

const handlers = {
  upload: {
    streamsBody: true,
    limits: { bodyLimit: 1e9, fileLimit: 1e9, fieldLimit: 1e4, maxParts: 10 },
    handler: async ({ path, caller, ...input }) => {
      is<Equal<typeof path.shelf, string>>();
      is<Equal<typeof caller.user, string>>();
      if (input.contentType !== "multipart/form-data") {
        is<Equal<typeof input.body, Readable>>();
        is<Equal<typeof input.contentType, `image/${string}` | "application/json">>();
        return { status: 200, body: { id: 1 } };
      }
      for await (const part of input.parts) {
        is<Equal<typeof part.field, keyof Photo>>();
        if (part.stream) is<Equal<typeof part.field, "photo" | "tags">>();
        else if (part.field === "size") is<Equal<typeof part.value, number>>();
        else if (part.field === "kind") is<Equal<typeof part.value, "a" | "b">>();
        else if (part.field === "owner") is<Equal<typeof part.value.name, string>>();
        else is<Equal<typeof part.value, string>>();
      }
      return { status: 200, body: { id: 1 } };
    },
  },
  replace: {
    streamsBody: true,
    handler: ({ body, contentType }) => {
      is<Equal<typeof body, Readable | undefined>>();
      is<Equal<typeof contentType, "text/plain" | undefined>>();
      return { status: 200, body: { id: 1 } };
    },
  },
  remove: () => ({ status: 200, body: { id: 1 } }),
} satisfies Handlers<operations, Env>;

declare const document: OpenApiDocument;
const security = {};
implement<operations, Env>()({ document, handlers, security });
implement<operations, Env>()({
  document,
  security,
  handlers: {
    ...handlers,
    // @ts-expect-error Type 'true' is not assignable to type 'false'
    remove: { streamsBody: true, handler: () => ({ status: 200, body: { id: 1 } }) },
  },
});
implement<operations, Env>()({
  document,
  security,
  handlers: {
    ...handlers,
    // @ts-expect-error 418 is not declared for replace
    replace: { streamsBody: true, handler: () => ({ status: 418, body: { id: 1 } }) },
  },
});

const separate = async ({ body }: StreamedInput<operations["replace"], Env>) => {
  is<Equal<typeof body, Readable | undefined>>();
  return { status: 200 as const, body: { id: 1 } };
};
implement<operations, Env>()({
  document,
  security,
  handlers: { ...handlers, replace: { streamsBody: true, handler: separate } },
});

// Types that a program gives to files tell a file from a text.
is<Equal<PartOf<{ file: Blob; name: string[] }>, FilePart<"file"> | FilePart<"name"> | ValuePart<"name", string>>>();
is<Equal<PartOf<{ files: Uint8Array[]; flag?: boolean }>, FilePart<"files"> | ValuePart<"flag", boolean>>>();
is<Equal<PartOf<Record<string, number>>, ValuePart<string, number>>>();
