// The module of a Web Worker: one job at a time, with messages {id, kind, request}, {id, stop: true}, and answers
// {id, answer}, the last of which has `done`. Data and WebAssembly modules load when they are first needed.

import { KnownStarts } from "./known_positions.js";
import { loadEngine } from "./wasm_engine.js";
import { WorkerJobs } from "./worker_jobs.js";

const HERE = new URL("./", import.meta.url);
const STARTS = new URL("./data/boards.jsonl", import.meta.url);
const BOOKS = new Map([
  ["7x7", new URL("./data/book-7x7.bin", import.meta.url)],
  ["8x8", new URL("./data/book-8x8.bin", import.meta.url)],
]);

async function load(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address.pathname.split("/").at(-1)}: not loaded (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

async function open() {
  const [engine, starts] = await Promise.all([loadEngine(HERE.href), load(STARTS)]);
  return new WorkerJobs(engine, new KnownStarts(new TextDecoder().decode(starts)), BOOKS, load);
}

let opening = null;
const stopped = new Set(); // ids

self.onmessage = async ({ data: { id, kind, request, stop } }) => {
  if (stop) return void stopped.add(id);
  const emit = (answer) => self.postMessage({ id, answer });
  try {
    const jobs = await (opening ??= open());
    const answer = await jobs.do(kind, request, emit, () => stopped.has(id));
    self.postMessage({ id, answer, done: true });
  } catch (error) {
    if (!(await opening.then(() => true, () => false))) opening = null; // the next job tries to load again
    self.postMessage({ id, answer: { kind: "error", error: error.message }, done: true });
  }
  return void stopped.delete(id);
};
