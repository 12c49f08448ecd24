// Answer requests to the pages' engine: a line of JSON each, [method, ...arguments], on standard input; a line of JSON
// each on standard output. Usage: node node_engine.mjs FOLDER, where FOLDER/engine holds the engine's files.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { loadEngine } = await import(pathToFileURL(`${folder}/engine/wasm_engine.js`));
const read = async (path) => {
  const { buffer, byteOffset, byteLength } = await readFile(path);
  return buffer.slice(byteOffset, byteOffset + byteLength);
};
const engine = await loadEngine(`${folder}/engine/`, read);

/** JSON has no infinities. */
const plain = (key, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);

for await (const line of createInterface({ input: process.stdin })) {
  const [method, ...args] = JSON.parse(line);
  let answer;
  try {
    answer = await engine[method](...args);
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer, plain)}\n`);
}
