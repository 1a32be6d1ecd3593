import { expect, test } from "vitest";
import { namesOf, renamed } from "../src/names.ts";

test("every name is derived from one", () => {
  expect(namesOf("my-shop")).toEqual({
    name: "my-shop",
    title: "My shop",
    pascal: "MyShop",
    camel: "myShop",
    upper: "MY_SHOP",
    lower: "my_shop",
  });
});

test.each([
  ["", "cannot be a package name"],
  ["My Shop", "cannot be a package name"],
  ["9lives", "cannot be a package name"],
  ["a--b", "cannot be a package name"],
  ["x".repeat(41), "cannot be a package name"],
  ["contract", "is already a script or a command of pnpm"],
  ["store", "is already a script or a command of pnpm"],
])("the name %j is rejected: %s", (name, reason) => {
  expect(() => namesOf(name)).toThrow(reason);
});

test.each([
  ['import { createPetstore } from "@petstore/client";', 'import { createMyShop } from "@my-shop/client";'],
  ["PETSTORE_ENV=staging petstore keys list", "MY_SHOP_ENV=staging my-shop keys list"],
  ["Petstore is listening.", "My shop is listening."],
  ["petstoreQueries(petstore)", "myShopQueries(my-shop)"],
  ["petstore_wal_bytes", "my_shop_wal_bytes"],
  ["keys begin with `pst_live_` or `pst_test_`", "keys begin with `my_shop_live_` or `my_shop_test_`"],
  ["type PetstoreError = 1", "type MyShopError = 1"],
])("%s becomes %s", (before, after) => {
  expect(renamed(before, namesOf("my-shop"))).toBe(after);
});
