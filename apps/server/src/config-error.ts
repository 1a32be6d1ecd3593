/** A setting that keeps the program from starting; the message is one line for each, naming it and what to do. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
