// Who answers: the engine in this browser, or the server. Agents and heuristics from files need the server, and so does
// everything where a browser has no WebAssembly with SIMD; a site without a server has the engine alone.

import { engineWorkers } from "../engine/engine_workers.js";
import { analyseGame } from "../engine/game_analysis.js";
import { isSite } from "./address.js";
import { ApiError, JobSocket, query as queryServer } from "./api.js";

// A module of one function with a vector instruction: i8x16.splat of a constant.
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11);

/** Whether this browser can run the engine. */
export const hasEngine = typeof Worker === "function" && (globalThis.WebAssembly?.validate(SIMD) ?? false);

/** What is missing where the engine cannot run; empty if nothing is. */
export const engineNotice = hasEngine
  ? ""
  : `This browser has no WebAssembly with SIMD, ${isSite ? "so agents and analysis do not work here: please update it." : "so the server thinks for it."}`;

const NEEDS_SERVER = /\.py\b|[\\/]|\bbook *=|^ *(?:course|engine|agent|own) *:/;

/** Whether the engine in this browser answers a request about agents or heuristics. */
function isForEngine({ agent = "", heuristic = "", heuristics = [], searches = [] }) {
  if (isSite) return true;
  const texts = [agent, heuristic ?? "", ...heuristics, ...searches];
  return hasEngine && !texts.some((text) => NEEDS_SERVER.test(text));
}

/** Requests that are answered in several messages: an agent's move ("think"), or the review of a game ("analyse"). */
export class JobSource {
  #kind;
  #socket;

  constructor(kind) {
    this.#kind = kind;
    this.#socket = new JobSocket(`/api/${kind}`);
  }

  /**
   * Send a request; the parameters and the result are those of `JobSocket.ask`.
   * @param {object} request
   * @param {(answer: object) => void} onAnswer
   * @param {(text: string) => void} onWait
   */
  ask(request, onAnswer, onWait) {
    if (!isForEngine(request)) return this.#socket.ask(request, onAnswer, onWait);
    let job;
    const receive = (answer) => {
      if (answer.isLost && !isSite) job = this.#socket.ask(request, onAnswer, onWait);
      else onAnswer(answer);
    };
    job =
      this.#kind === "analyse"
        ? analyseGame(engineWorkers, request, receive)
        : engineWorkers.start(this.#kind, request, receive);
    return { stop: () => job.stop(), forget: () => job.forget() };
  }
}

/**
 * Ask for the values of a position's moves ("values"), the best line ("line"), or an agent's move ("move").
 * @param {string} kind
 * @param {object} request the body of the server's route of that name.
 * @param {{signal?: AbortSignal, onWait?: (text: string) => void}} options as those of `get`.
 */
export async function query(kind, request, options = {}) {
  const ask = () => queryServer(`/api/${kind}`, request, options);
  return isForEngine(request) ? onEngine(kind === "move" ? "think" : kind, request, options, ask) : ask();
}

/** Check an agent's spec, as POST /api/agent does. */
export function checkAgent(agent, ask) {
  return isSite ? onEngine("agent", { agent }, {}, ask) : ask();
}

async function onEngine(kind, request, { signal }, ask) {
  try {
    return await engineWorkers.ask(kind, request, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (error.isLost && !isSite) return ask();
    throw new ApiError(error.message, 422);
  }
}
