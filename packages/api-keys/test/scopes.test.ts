import { expect, test } from "vitest";
import { expectValidScopes } from "../src/keys.repository.ts";

test.each(["pets:read", "https://example.com/auth/pets.read", "!", "a#b", "[x]", "~"])(
  "expectValidScopes accepts %o",
  (scope) => {
    expect(() => expectValidScopes(["pets:read", scope])).not.toThrow();
  },
);

test.each(["*", "", "pets read", "pets,read", 'pets"', "pets\\", "päts", "a\n"])(
  "expectValidScopes rejects %o",
  (scope) => {
    expect(() => expectValidScopes(["pets:read", scope])).toThrow(
      `No API key can have the scope ${JSON.stringify(scope)}`,
    );
  },
);
