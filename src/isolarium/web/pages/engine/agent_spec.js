// Agents as text, such as champion@nodes=500,book: the part of isolarium/spec/parser.py that needs no files; and the
// catalogue's heuristics: their run-time numbers, and which compiled function evaluates them.

const BOUNDS = ["depth", "nodes", "ms"];
const SHORTHAND = { k: 1e3, K: 1e3, m: 1e6, M: 1e6 };

/** An agent or a heuristic that the engine does not have. */
export class SpecError extends Error {
  name = "SpecError";
}

/**
 * @param {string} text an agent, such as alphabeta:improved@depth=3.
 * @param {object} searches the known searches, from the engine's description.
 * @returns {{search: string, options: object, heuristic: object|null, limit: object, book: boolean}}
 */
export function parseAgent(text, searches) {
  const [head, limitText] = cut(text, "@");
  const [searchText, heuristicText] = cut(head, ":");
  const call = parseCall(searchText);
  const about = searches[call.word];
  if (!about) throw new SpecError(`${text}: there is no search ${call.word} in the browser`);
  const { limit, book } = parseLimit(text, limitText);
  const options = { ...about.options };
  for (const { name, value } of call.arguments) {
    if (name === "threads") continue; // a worker has one
    if (!(name in options)) throw new SpecError(`${text}: ${call.word} has no option ${name}`);
    options[name] = parseNumber(value.word, text);
  }
  const wanted = heuristicText ?? about.defaultHeuristic;
  if (about.takesHeuristic && !wanted) throw new SpecError(`${text}: ${call.word} needs a heuristic`);
  if (!about.takesHeuristic && heuristicText) throw new SpecError(`${text}: ${call.word} takes no heuristic`);
  const heuristic = wanted ? parseCall(wanted) : null;
  if (!about.takesLimit && limitText !== null) throw new SpecError(`${text}: ${call.word} takes no limit`);
  return { search: call.word, options, heuristic, limit, book: book || about.hasBook };
}

/**
 * @param {string} text a word, or a word with arguments in parentheses.
 * @returns {{word: string, arguments: {name: string, value: object}[]}}
 */
export function parseCall(text) {
  let at = 0;
  const skip = (mark) => {
    if (text[at] !== mark) return false;
    at += 1;
    while (text[at] === " ") at += 1;
    return true;
  };
  const word = () => {
    const from = at;
    while (at < text.length && !"(),=".includes(text[at])) at += 1;
    return text.slice(from, at).trim();
  };
  const argument = () => {
    const from = at;
    const name = word();
    if (name && skip("=")) return { name, value: call() };
    at = from;
    return { name: "", value: call() };
  };
  const call = () => {
    const found = { word: word(), arguments: [] };
    if (!found.word) throw new SpecError(`${text}: expected a name`);
    if (!skip("(") || skip(")")) return found;
    do found.arguments.push(argument());
    while (skip(","));
    if (!skip(")")) throw new SpecError(`${text}: expected , or )`);
    return found;
  };
  const found = call();
  if (at < text.length) throw new SpecError(`${text}: expected nothing after ${text.slice(0, at)}`);
  return found;
}

/** A number or a switch of a spec: 1.5, 20k, 2m, true, false. */
function parseNumber(word, where) {
  if (word === "true" || word === "false") return word === "true";
  const factor = SHORTHAND[word.at(-1)] ?? 1;
  const digits = factor === 1 ? word : word.slice(0, -1);
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(digits)) throw new SpecError(`${where}: ${word} is not a number`);
  return Number(digits) * factor;
}

function parseLimit(text, limitText) {
  const limit = {};
  let book = false;
  for (const part of (limitText ?? "").split(",").filter(Boolean)) {
    const [name, value] = cut(part, "=").map((piece) => piece?.trim());
    if (name === "book" && value === undefined) book = true;
    else if (BOUNDS.includes(name) && value) limit[name] = parseNumber(value, text);
    else throw new SpecError(`${text}: the browser does not support the limit ${part}`);
  }
  return { limit, book };
}

/** The text before and after a mark outside parentheses; the second is null if there is none. */
function cut(text, mark) {
  let deep = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") deep += 1;
    else if (text[at] === ")") deep -= 1;
    else if (text[at] === mark && deep === 0) return [text.slice(0, at), text.slice(at + 1)];
  }
  return [text, null];
}

/**
 * @param {{word: string, arguments: object[]}} call a parsed heuristic.
 * @param {object} known the engine's description of all heuristics.
 * @returns {{name: string, numbers: number[], weights: string|null}} the function's name in the module, such as
 *   balanced(center=biased); its numbers, or the file of its weights.
 */
export function bindHeuristic(call, known) {
  const about = known[call.word];
  if (!about) throw new SpecError(`${call.word}: the browser has no such heuristic`);
  const names = Object.keys(about.parameters);
  let numbers = [...about.numbers];
  let name = call.word;
  const given = call.arguments.map((one, place) => ({ name: one.name || names[place], value: one.value }));
  // A table replaces all numbers, so it comes first.
  const isTable = ({ name: one }) => about.parameters[one]?.kind === "table";
  for (const { name: key, value } of [...given.filter(isTable), ...given.filter((one) => !isTable(one))]) {
    const parameter = about.parameters[key];
    const where = `${call.word}: ${key}=${value.word}`;
    if (!parameter) throw new SpecError(`${call.word}: no parameter ${key}`);
    if (parameter.kind === "table" || parameter.kind === "named") {
      if (!(value.word in parameter.names)) throw new SpecError(`${where}: unknown`);
      if (parameter.kind === "table") numbers = [...parameter.names[value.word]];
      else numbers[parameter.at] = parameter.names[value.word];
    } else if (parameter.kind === "compiled") {
      if (!parameter.names.includes(value.word)) throw new SpecError(`${where}: unknown`);
      if (value.word !== parameter.default) name = `${call.word}(${key}=${value.word})`;
    } else if (parameter.kind === "weights") {
      if (!parameter.names.includes(value.word)) throw new SpecError(`${where}: the browser has no such weights`);
    } else if (parameter.kind === "heuristic") {
      const is = value.word + (value.arguments.length ? "(...)" : "");
      if (is !== parameter.default) throw new SpecError(`${where}: the browser has ${parameter.default} alone`);
    } else {
      const number = Number(parseNumber(value.word, where));
      if (!parameter.alone && number !== numbers[parameter.at]) {
        throw new SpecError(`${where}: the browser has ${numbers[parameter.at]} alone`);
      }
      const { low, high } = parameter;
      if ((low !== null && number < low) || (high !== null && number > high)) {
        throw new SpecError(`${where}: expected ${low} to ${high}`);
      }
      if (parameter.kind === "whole" && !Number.isInteger(number)) throw new SpecError(`${where}: expected a whole number`);
      numbers[parameter.at] = number;
    }
  }
  return { name, numbers, weights: about.weights };
}
