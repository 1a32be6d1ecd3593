/** A way to run the image. */
export interface Runtime {
  /** Starts a container with the file system read-only and the volume kept from before; `env` adds to its environment. */
  start: (env?: Record<string, string>) => Promise<Container>;
  /** Runs the health check in a container of its own, in which nothing listens. Returns its exit code. */
  checkWithoutService: () => Promise<number>;
  remove: () => void;
}

/** A container. */
export interface Container {
  /** Its address from outside. */
  origin: string;
  /** Everything that it has printed. */
  output: () => string;
  /** Runs a command in the container, as the image's user unless `isRoot` is set. */
  exec: (words: string[], isRoot?: boolean) => { code: number; output: string };
  /** Runs the health check of the image. */
  check: () => number;
  /** Sends a signal to process 1 and resolves with the exit code of the container. */
  stop: (signal: NodeJS.Signals) => Promise<number>;
}
