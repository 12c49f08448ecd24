// Who answers: the engine in this browser, or the server, which alone has agents and heuristics from files.

import { engineWorkers } from "../engine/engine_workers.js";
import { analyseGame } from "../engine/game_analysis.js";
import { isSite } from "./address.js";
import { ApiError, query as queryServer } from "./api.js";

// A module of one function with a vector instruction: i8x16.splat of a constant.
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11);

const engineNoticeFor = (hasEngine, hasVectors) => {
  if (!hasEngine) return "This browser has no WebAssembly, so agents and analysis do not work here. Use a newer browser.";
  return hasVectors ? "" : "This browser has no WebAssembly with SIMD, so agents and analysis are slower here.";
};

/** How the engine is limited in this browser; empty if it is not. */
export const engineNotice = engineNoticeFor(
  typeof Worker === "function" && Boolean(globalThis.WebAssembly),
  globalThis.WebAssembly?.validate(SIMD),
);

const NEEDS_SERVER = /\.py\b|[\\/]|\bbook *=|^ *(?:course|engine|agent|own) *:/;

/** Whether an agent or a heuristic comes from a file of the server. */
const needsServer = (text) => !isSite && NEEDS_SERVER.test(text ?? "");

/**
 * Ask an agent for a move.
 * @param {{game: string, agent: string, seed?: number}} request
 * @param {(answer: object) => void} onAnswer called with the best move so far ("thinking"), if the engine answers, and at
 *   the end with the move or an error.
 * @param {(text: string) => void} onWait called with the reason for a retry, and with an empty text once it succeeds.
 * @returns {{forget: () => void}} ends it, without an answer.
 */
export function askAgent(request, onAnswer, onWait) {
  if (!needsServer(request.agent)) return engineWorkers.start("think", request, onAnswer);
  const controller = new AbortController();
  const { signal } = controller;
  const answer = (message) => signal.aborted || onAnswer(message);
  queryServer("/api/move", request, { signal, onWait }).then(
    (move) => answer({ kind: "move", ...move }),
    (error) => answer({ kind: "error", error: error.message }),
  );
  return { forget: () => controller.abort() };
}

/**
 * Compare a game with exact values, move by move; the parameters and the result are those of `analyseGame`. Only the
 * engine's own heuristics are evaluated.
 */
export function reviewGame(request, onAnswer) {
  const heuristic = needsServer(request.heuristic) ? null : request.heuristic;
  return analyseGame(engineWorkers, { ...request, heuristic }, onAnswer);
}

/**
 * Ask for the values of a position's moves ("values"), the best line ("line"), or an agent's move ("move").
 * @param {string} kind
 * @param {object} request the body of the server's route of that name.
 * @param {{signal?: AbortSignal, onWait?: (text: string) => void}} options as those of `get`.
 */
export async function query(kind, request, options = {}) {
  const { agent = "", heuristics = [], searches = [] } = request;
  if ([agent, ...heuristics, ...searches].some(needsServer)) return queryServer(`/api/${kind}`, request, options);
  return onEngine(kind === "move" ? "think" : kind, request, options);
}

/** Check an agent's spec, as POST /api/agent does. */
export function checkAgent(agent, ask) {
  return isSite ? onEngine("agent", { agent }) : ask();
}

async function onEngine(kind, request, { signal } = {}) {
  try {
    return await engineWorkers.ask(kind, request, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new ApiError(error.message, 422);
  }
}
