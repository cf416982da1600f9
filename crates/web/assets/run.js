// A run as the data has it, and the state after each of its steps.

/**
 * @typedef {{lane: number, place: number, does: string, from: string, to: string, changes: [string, string][], remarks: string[]}} Mover
 * @typedef {{fate: number, channel: number, text: string, other: number}} Message
 * @typedef {{queues: number[][], values: Map<string, string>, waiting: Map<number, number>}} Snapshot
 */

const SENT = 1, RECEIVED = 2, HANDED_OVER = 3;
const BETWEEN_SNAPSHOTS = 256;

class Run {
  /** @param {any} data @param {any} raw */
  constructor(data, raw) {
    this.data = data;
    this.raw = raw;
    this.lanes = raw.lanes.map(id => data.strings[id]);
    this.channels = raw.channels.map(id => data.strings[id]);
    this.length = raw.steps.length;
    this.loop = raw.loop;
    /** @type {Snapshot[]} */
    this.snapshots = [{ queues: this.channels.map(() => []), values: new Map(), waiting: new Map() }];
    this.reached = 0;
    this.crossing = this.arrowsAcrossBlocks();
  }

  /** @param {number} id */
  text(id) {
    return id >= 0 ? this.data.strings[id] : "";
  }

  /** The number of a step as documents count it. @param {number} step */
  number(step) {
    const gap = this.raw.gap;
    return step + 1 + (gap && gap[0] <= step ? gap[1] : 0);
  }

  /** @param {number} step @returns {Mover[]} */
  moves(step) {
    return (this.raw.steps[step][1] ?? []).map(([lane, place = -1, does = -1, from = -1, to = -1, changes = [], remarks = []]) => {
      const pairs = [];
      for (let i = 0; i < changes.length; i += 2) pairs.push([this.text(changes[i]), this.text(changes[i + 1])]);
      return { lane, place, does: this.text(does), from: this.text(from), to: this.text(to), changes: pairs, remarks: remarks.map(id => this.text(id)) };
    });
  }

  /** @param {number} step @returns {Message | null} */
  message(step) {
    const raw = this.raw.steps[step][2];
    return raw ? { fate: raw[0], channel: raw[1], text: this.text(raw[2]), other: raw[3] } : null;
  }

  /** @param {number} step */
  lane(step) {
    return this.raw.steps[step][1]?.[0]?.[0] ?? -1;
  }

  /** What happens, in a word: the event, or what the first mover does. @param {number} step */
  label(step) {
    const [event, moves] = this.raw.steps[step];
    if (event >= 0) return this.text(event);
    const does = moves?.[0]?.[2] ?? -1;
    return does >= 0 ? this.text(does) : "";
  }

  /** @param {number} step */
  remarks(step) {
    return (this.raw.steps[step][5] ?? []).map(id => this.text(id));
  }

  /** @param {number} step */
  atomic(step) {
    return this.raw.steps[step][4] === 1;
  }

  /** Channels that a step touches. @param {number} step @returns {number[]} */
  touched(step) {
    const channels = (this.raw.steps[step][3] ?? []).map(change => change[0]);
    const message = this.raw.steps[step][2];
    if (message && message[0] !== HANDED_OVER && !channels.includes(message[1])) channels.push(message[1]);
    return channels;
  }

  /** @param {Snapshot} state @param {number} step */
  apply(state, step) {
    const [, moves = [], , queues = []] = this.raw.steps[step];
    for (const [channel, at, removed, ...inserted] of queues) state.queues[channel].splice(at, removed, ...inserted);
    for (const move of moves) {
      const changes = move[5] ?? [];
      for (let i = 0; i < changes.length; i += 2) state.values.set(this.text(changes[i]), this.text(changes[i + 1]));
    }
  }

  /**
   * What queues hold and what variables are, when so many steps are done. Some states are kept, the others are made of them.
   * @param {number} count @returns {Snapshot}
   */
  after(count) {
    while (this.reached + BETWEEN_SNAPSHOTS <= count) {
      const next = this.copy(this.snapshots[this.snapshots.length - 1]);
      for (let i = 0; i < BETWEEN_SNAPSHOTS; i++) this.apply(next, this.reached + i);
      this.reached += BETWEEN_SNAPSHOTS;
      this.snapshots.push(next);
    }
    const state = this.copy(this.snapshots[Math.floor(count / BETWEEN_SNAPSHOTS)]);
    for (let step = count - count % BETWEEN_SNAPSHOTS; step < count; step++) this.apply(state, step);
    return state;
  }

  /** @param {Snapshot} state @returns {Snapshot} */
  copy(state) {
    return { queues: state.queues.map(queue => queue.slice()), values: new Map(state.values), waiting: new Map() };
  }

  /** For each block of rows the messages that were sent before it and are received in it or behind it. */
  arrowsAcrossBlocks() {
    const blocks = Array.from({ length: Math.ceil(this.length / BETWEEN_SNAPSHOTS) + 1 }, () => /** @type {number[]} */ ([]));
    for (let step = 0; step < this.length; step++) {
      const message = this.raw.steps[step][2];
      if (!message || message[0] !== SENT || message[3] < 0) continue;
      const last = Math.floor(message[3] / BETWEEN_SNAPSHOTS);
      for (let block = Math.floor(step / BETWEEN_SNAPSHOTS) + 1; block <= last; block++) {
        if (blocks[block].length < 200) blocks[block].push(step);
      }
    }
    return blocks;
  }

  /** Sends whose arrows can be seen in these rows. @param {number} first @param {number} last @returns {number[]} */
  arrows(first, last) {
    const block = Math.floor(first / BETWEEN_SNAPSHOTS), start = block * BETWEEN_SNAPSHOTS;
    const sends = this.crossing[block].filter(step => this.raw.steps[step][2][3] >= first);
    for (let step = start; step <= Math.min(last, this.length - 1); step++) {
      const message = this.raw.steps[step][2];
      if (message?.[0] === SENT && (message[3] < 0 ? step >= first : message[3] >= first)) sends.push(step);
    }
    return sends;
  }
}
