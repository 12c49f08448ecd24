// Answer requests to the pages' engine: a line of JSON each, [method, ...arguments], on standard input; a line of JSON
// each on standard output. The methods are choose and solve, and positions are in notation. Usage: node node_engine.mjs FOLDER, where FOLDER/engine holds the engine's files.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { loadEngine } = await import(pathToFileURL(`${folder}/engine/wasm_engine.js`));
const { formatSquare, parsePosition } = await import(pathToFileURL(`${folder}/game/notation.js`));
const read = async (path) => {
  const { buffer, byteOffset, byteLength } = await readFile(path);
  return buffer.slice(byteOffset, byteOffset + byteLength);
};
const engine = await loadEngine(`${folder}/engine/`, read);

/** JSON has no infinities. */
const plain = (key, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);

/** A method's answer with squares in notation; the position is the argument before the options. */
async function answerTo(method, ...args) {
  const at = method === "choose" ? 1 : 0;
  const position = parsePosition(args[at]);
  const found = await engine[method](...args.with(at, position));
  const name = (square) => (square === null ? null : formatSquare(square, position.cols));
  return { ...found, move: name(found.move), ...(found.line && { line: found.line.map(name) }) };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = await answerTo(...JSON.parse(line));
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer, plain)}\n`);
}
