/** The name of the service: its command, its database file, its realm. Every other name below is derived from it. */
export const NAME = "petstore";

/** The name for people, at the beginning of a sentence. */
export const TITLE = "Petstore";

/** The beginning of the settings that are named after the service, such as `PETSTORE_ENV`. */
export const SETTINGS_PREFIX = "PETSTORE";

/** The beginning of API keys, so that whoever finds one knows its service: `pst_live_…`. */
export const KEY_PREFIX = "pst";

/** The beginning of the metrics that are not about HTTP. */
export const METRICS_PREFIX = "petstore";
