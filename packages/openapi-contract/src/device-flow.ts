import type { Plugin } from "@redocly/openapi-core";

/**
 * Lets Redocly read the flow `deviceAuthorization` (OpenAPI 3.2, "OAuth Flows Object"). Its own type names the scopes by a type
 * that does not exist, so that it throws for each document with this flow.
 */
export const DEVICE_FLOW: Plugin = {
  id: "device-flow",
  typeExtension: {
    oas3: (types) => {
      const { DeviceAuthorization: flow, ClientCredentials: other } = types;
      if (flow === undefined || other === undefined) return types;
      const properties = { ...flow.properties, scopes: other.properties["scopes"] };
      return { ...types, DeviceAuthorization: { ...flow, properties } };
    },
  },
};
