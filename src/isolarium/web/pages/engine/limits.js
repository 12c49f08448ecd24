// When searches stop, report and rest. Compiled functions run in slices of a few milliseconds; between them the engine
// looks at its clock and its allowance, reports, and lets the page or the worker handle its messages.

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
   * @param {() => boolean} isStopped ends the search at the next turn.
   * @param {(() => void)|null} report called about ten times a second.
   */
  constructor(isStopped, report = null) {
    this.isStopped = isStopped;
    this.report = report;
  }

  /** The milliseconds since the start. */
  get ms() {
    return performance.now() - this.#started;
  }

  get stopped() {
    return this.isStopped();
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

/** The remainder of a limit in nodes and milliseconds that several searches share. */
export class Allowance {
  #began = performance.now();

  /**
   * @param {{nodes?: number, ms?: number}} limit
   * @param {() => boolean} isStopped ends the allowance at once.
   */
  constructor({ nodes, ms } = {}, isStopped = () => false) {
    this.limit = { nodes: nodes ?? null, ms: ms ?? null };
    this.isStopped = isStopped;
    this.spent = 0; // nodes
  }

  get elapsedMs() {
    return performance.now() - this.#began;
  }

  isOver() {
    const { nodes, ms } = this.limit;
    return (nodes !== null && this.spent >= nodes) || (ms !== null && this.elapsedMs >= ms) || this.isStopped();
  }

  /** The nodes that are left, at most `most`. */
  nodesLeft(most) {
    return this.limit.nodes === null ? most : Math.max(0, Math.min(most, this.limit.nodes - this.spent));
  }

  /** What is left, within another limit. */
  rest({ nodes = null, ms = null } = {}) {
    const least = (one, other) => (one === null ? other : other === null ? one : Math.min(one, other));
    const left = this.limit.nodes === null ? null : Math.max(0, this.limit.nodes - this.spent);
    const leftMs = this.limit.ms === null ? null : Math.max(0, this.limit.ms - this.elapsedMs);
    return { nodes: least(nodes, left), ms: least(ms, leftMs) };
  }
}
