// The Web Workers that think for a page. Each does one job at a time; the others wait, short ones first.

const MOST_WORKERS = 4;
const SMALL_MEMORY_GB = 4; // a phone, which gets two workers

/** How many workers a device gets: each has memory of its own. */
function workerCount({ hardwareConcurrency = 2, deviceMemory = 8 } = globalThis.navigator ?? {}) {
  const most = deviceMemory <= SMALL_MEMORY_GB ? 2 : MOST_WORKERS;
  return Math.max(2, Math.min(most, hardwareConcurrency - 1));
}

class EngineWorkers {
  #free = [];
  #started = 0;
  #waiting = [];
  #next = 1;

  constructor(most = workerCount()) {
    this.most = most;
  }

  /**
   * Start a job, or let it wait for a worker.
   * @param {string} kind one of those of `worker_jobs.js`.
   * @param {object} request
   * @param {(answer: object, isLast: boolean) => void} onAnswer
   * @param {{isLong?: boolean}} options long jobs wait until no other does.
   * @returns {{stop: () => void, forget: () => void}} `stop` ends it early with the result so far; `forget` also drops
   *   later answers.
   */
  start(kind, request, onAnswer, { isLong = false } = {}) {
    const job = { id: this.#next++, kind, request, onAnswer, isLong, worker: null };
    const before = isLong ? this.#waiting.length : this.#waiting.findIndex((other) => other.isLong);
    this.#waiting.splice(before < 0 ? this.#waiting.length : before, 0, job);
    this.#assign();
    const stop = () => job.worker?.postMessage({ id: job.id, stop: true });
    const forget = () => {
      job.onAnswer = () => {};
      this.#waiting = this.#waiting.filter((other) => other !== job);
      stop();
    };
    return { stop, forget };
  }

  /** Do a job; returns a promise of its last answer. */
  ask(kind, request, { signal, ...options } = {}) {
    return new Promise((resolve, reject) => {
      const finish = (answer) => (answer.kind === "error" ? reject(new Error(answer.error)) : resolve(answer));
      const job = this.start(kind, request, (answer, isLast) => isLast && finish(answer), options);
      signal?.addEventListener("abort", () => {
        job.forget();
        reject(signal.reason);
      });
    });
  }

  #assign() {
    while (this.#waiting.length && (this.#free.length || this.#started < this.most)) {
      const worker = this.#free.pop() ?? this.#open();
      this.#begin(worker, this.#waiting.shift());
    }
  }

  #open() {
    this.#started++;
    return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  }

  #begin(worker, job) {
    job.worker = worker;
    worker.onmessage = ({ data: { answer, done = false } }) => {
      job.onAnswer(answer, done);
      if (done) this.#end(worker, job);
    };
    // The module or its imports did not load, or memory ran out: the next job gets another worker.
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      this.#started--;
      job.onAnswer({ kind: "error", error: "The engine did not start in this browser." }, true);
      job.worker = null;
      this.#assign();
    };
    worker.postMessage({ id: job.id, kind: job.kind, request: job.request });
  }

  #end(worker, job) {
    job.worker = null;
    worker.onmessage = null;
    this.#free.push(worker);
    this.#assign();
  }
}

/** The workers of this page. */
export const engineWorkers = new EngineWorkers();
