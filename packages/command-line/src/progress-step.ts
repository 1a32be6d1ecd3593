/** How much of a task is done. Of a file that is being written, its size tells. */
export type Amount = { done: number; total: number; unit: string } | { file: string; bytes: number };

/** Reports the current task, such as "Copying pets", and how much of it is done, as often as that changes. */
export type Report = (task: string, amount?: Amount) => void;

/** The time before progress is shown. */
export const DELAY_MS = 1_000;

/** The settings of the worker. */
export interface Display {
  isTerminal: boolean;
}

/** The current task, or the end of the work. */
export type Message = { task: string; amount: Amount | undefined } | "end";
