/** A clock that jumps from event to event. Times are in milliseconds. */
export class Events {
  now = 0;
  /** A binary heap: no event is earlier than its parent at `(index - 1) >> 1`. Events of one time run in the order of their calls. */
  readonly #heap: Event[] = [];
  #count = 0;

  /** Runs a function at a time, or now if the time is past. */
  at(time: number, run: () => void): void {
    const event = { time: Math.max(time, this.now), order: this.#count++, run };
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  /** Runs every event up to a time. */
  runUntil(end: number): void {
    while (this.#heap.length > 0 && this.#heap[0]!.time <= end) {
      const { time, run } = this.#takeFirst();
      this.now = time;
      run();
    }
    this.now = end;
  }

  #takeFirst(): Event {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

interface Event {
  time: number;
  order: number;
  run: () => void;
}

function isBefore(one: Event, other: Event): boolean {
  return one.time < other.time || (one.time === other.time && one.order < other.order);
}
