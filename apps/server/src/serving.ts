/** The service at work. */
export interface Service {
  baseUrl: string;
  /** Where Prometheus finds its metrics, if anywhere. */
  metricsUrl: string | undefined;
  /** Announces the end: from now on `/readyz` fails, and each answer ends its connection. New ones are still accepted. */
  drain: () => void;
  /** Accepts nothing more, finishes what is in flight, and closes the database. */
  close: () => Promise<void>;
}

/** The service at work, in this process or in several. */
export interface Serving extends Omit<Service, "drain"> {
  /** As of a `Service`; resolves when it holds in every process. */
  drain: () => Promise<void> | void;
  /** Rejects when it cannot go on. */
  failed?: Promise<never>;
  /** Ends the other processes at once. */
  kill?: () => void;
}
