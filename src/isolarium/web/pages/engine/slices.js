// Compiled functions run in slices of a few milliseconds; between them the engine looks at its clock, reports, and lets
// the page or the worker handle its messages, so that a search can be stopped.

const SLICE_MS = 5;
const TURN_MS = 16; // how long slices run before messages are handled
const REPORT_MS = 100;
const FIRST_NODES = 64; // little even if a node takes milliseconds
const LEAST_NODES = 16;

const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
channel.port1.unref?.(); // Node would wait for messages forever

/** Let the event loop handle what waits. It is faster than a timer, which waits four milliseconds. */
function turn() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port1.ref?.();
    channel.port2.postMessage(null);
  }).then(() => channel.port1.unref?.());
}

/** When to stop, and when to report. */
export class Watch {
  #started = performance.now();
  #turned = this.#started;
  #reported = this.#started;

  /**
   * @param {object} limits
   * @param {AbortSignal} [limits.signal] ends the search at the next turn.
   * @param {(() => void)|null} report called about ten times a second.
   */
  constructor({ signal }, report) {
    this.signal = signal;
    this.report = report;
  }

  /** The milliseconds since the start. */
  get ms() {
    return performance.now() - this.#started;
  }

  get stopped() {
    return this.signal?.aborted ?? false;
  }

  /** Called after each slice. */
  async rest() {
    const now = performance.now();
    if (now - this.#turned < TURN_MS) return;
    if (this.report && now - this.#reported >= REPORT_MS) {
      this.#reported = now;
      this.report();
    }
    await turn();
    this.#turned = performance.now();
  }
}

/** How many nodes to search in a slice, by the speed measured so far. */
export class Slices {
  #speed = 0; // nodes a millisecond; 0 while unknown

  /**
   * Run slices until the function ends, a limit is reached or the watch is stopped.
   * @param {(quota: number) => "quota"|"finished"|"paused"} extend searches up to a total number of nodes.
   * @param {{nodes?: number, ms?: number}} limit
   * @param {Watch} watch
   * @returns {Promise<boolean>} whether the function ended by itself.
   */
  async run(extend, { nodes = Infinity, ms = Infinity }, watch) {
    const left = () => Math.min(SLICE_MS, ms - watch.ms);
    let step = Math.max(FIRST_NODES, Math.floor((this.#speed * left()) / 4));
    let quota = 0;
    let before = 0;
    let status = "quota";
    while (true) {
      if (status === "quota") {
        if (quota >= nodes || (quota > 0 && left() <= 0)) return false;
        before = quota;
        quota = Math.min(nodes, quota + step);
      }
      const began = performance.now();
      status = extend(quota);
      if (status === "finished") return true;
      if (status === "quota") {
        this.#speed = (quota - before) / Math.max(0.001, performance.now() - began);
        step = Math.max(LEAST_NODES, Math.floor(Math.min(4 * (quota - before), this.#speed * left())));
      } else if (watch.ms >= ms) return false;
      if (watch.stopped) return false;
      await watch.rest();
      if (watch.stopped) return false;
    }
  }
}
