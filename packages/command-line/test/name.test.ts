import { expect, test } from "vitest";
import { nameService, SERVICE } from "../src/name.ts";

test("a process has the names of one service, and before it is named those of a service", () => {
  expect(SERVICE).toEqual({
    name: "service",
    title: "Service",
    settingsPrefix: "SERVICE",
    keyPrefix: "service",
    metricsPrefix: "service",
  });
  const names = nameService({ name: "my-shop", keyPrefix: "shop" });
  expect(names).toEqual({
    name: "my-shop",
    title: "My shop",
    settingsPrefix: "MY_SHOP",
    keyPrefix: "shop",
    metricsPrefix: "my_shop",
  });
  expect(SERVICE).toBe(names);
  expect(nameService({ name: "my-shop", keyPrefix: "shop" })).toEqual(names);
  expect(() => nameService({ name: "museum" })).toThrow(
    "This process is of the service my-shop and cannot be of museum.",
  );
  expect(SERVICE.name).toBe("my-shop");
});
