/** The names of a service. */
export interface ServiceNames {
  /** Its command, its database file, its realm. The other names are derived from it unless they are given. */
  name: string;
  /** The name for people, at the beginning of a sentence. Default: `My shop` for `my-shop`. */
  title: string;
  /** The beginning of the settings that are named after the service. Default: `MY_SHOP`, as in `MY_SHOP_ENV`. */
  settingsPrefix: string;
  /** The beginning of API keys, so that whoever finds one knows its service. Default: `my_shop`, as in `my_shop_live_…`. */
  keyPrefix: string;
  /** The beginning of the metrics that are not about HTTP. Default: `my_shop`. */
  metricsPrefix: string;
}

/**
 * The names of the service of this process. Before `nameService`, the name is `service`. Modules may be loaded before the service
 * is named, so read the names when they are used.
 */
export const SERVICE: Readonly<ServiceNames> = serviceNames({ name: "service" });

let isNamed = false;

/** Names the service of this process, before anything reads a name. Throws if it has another name already. */
export function nameService(given: Pick<ServiceNames, "name"> & Partial<ServiceNames>): typeof SERVICE {
  if (isNamed && given.name !== SERVICE.name)
    throw new Error(`This process is of the service ${SERVICE.name} and cannot be of ${given.name}.`);
  isNamed = true;
  return Object.assign(SERVICE, serviceNames(given));
}

/** Returns the names of a service, those that are not given derived from its name. */
export function serviceNames({ name, ...given }: Pick<ServiceNames, "name"> & Partial<ServiceNames>): ServiceNames {
  const lower = name.replaceAll("-", "_");
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  return { name, title, settingsPrefix: lower.toUpperCase(), keyPrefix: lower, metricsPrefix: lower, ...given };
}
