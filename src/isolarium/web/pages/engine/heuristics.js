// The catalogue's heuristics: their run-time numbers, and which compiled function evaluates them.

import { parseNumber, SpecError } from "./agent_spec.js";

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
