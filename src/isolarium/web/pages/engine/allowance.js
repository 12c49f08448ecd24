// The remainder of a limit in nodes and milliseconds that several searches share.

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
