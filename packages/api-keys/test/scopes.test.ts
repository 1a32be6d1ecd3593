import { expect, test } from "vitest";
import { expectValidScopes } from "../src/scopes.ts";

test.each(["pets:read", "https://example.com/auth/pets.read", "!", "a#b", "[x]", "~"])(
  "a key can have the scope %o",
  (scope) => {
    expect(() => expectValidScopes(["pets:read", scope])).not.toThrow();
  },
);

test.each(["*", "", "pets read", "pets,read", 'pets"', "pets\\", "päts", "a\n"])(
  "no key can have the scope %o",
  (scope) => {
    expect(() => expectValidScopes(["pets:read", scope])).toThrow(
      `No API key can have the scope ${JSON.stringify(scope)}`,
    );
  },
);
