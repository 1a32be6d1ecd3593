import TinyQueue from "tinyqueue";

interface Event {
  time: number;
  order: number;
  run: () => void;
}

/** A clock that jumps from event to event. Times are in milliseconds. */
export class Events {
  now = 0;
  /** Events of one time run in the order of their calls. */
  readonly #queue = new TinyQueue<Event>([], (one, other) => one.time - other.time || one.order - other.order);
  #count = 0;

  /** Runs a function at a time, or now if the time is past. */
  at(time: number, run: () => void): void {
    this.#queue.push({ time: Math.max(time, this.now), order: this.#count++, run });
  }

  /** Runs every event up to a time. */
  runUntil(end: number): void {
    for (let next = this.#queue.peek(); next !== undefined && next.time <= end; next = this.#queue.peek()) {
      this.#queue.pop();
      this.now = next.time;
      next.run();
    }
    this.now = end;
  }
}
