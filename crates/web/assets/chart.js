// A run as a message sequence chart. Only the rows and lanes that can be seen are drawn, so a run of a hundred thousand steps scrolls.

const ROW = 28;
const NUMBERS = 64;
/** Longer labels are cut. */
const MOST_LETTERS = 44;
const LETTER = 7.6;

class Chart {
  /** @param {Run} run @param {(step: number) => void} onSelect */
  constructor(run, onSelect) {
    this.onSelect = onSelect;
    this.heads = html("div", { class: "heads" });
    this.svg = svg("svg", { class: "lines-of-chart", "aria-hidden": "true" });
    this.list = html("div", { class: "rows" });
    this.canvas = html("div", { class: "canvas" }, this.svg, this.list);
    this.element = html("div", {
      class: "chart", tabindex: "0", role: "listbox", "aria-label": "message sequence chart: arrow keys go from step to step",
      onscroll: () => this.schedule(), onkeydown: event => this.key(event),
    }, this.heads, this.canvas);
    this.scheduled = false;
    this.load(run);
    new ResizeObserver(() => this.schedule()).observe(this.element);
  }

  /** Shows a run instead of the one before. @param {Run} run */
  load(run) {
    this.run = run;
    /** How many steps are done: 0 is the start. */
    this.current = 0;
    this.drawn = "";
    const count = Math.max(1, run.lanes.length);
    // A lane has room for its name, and for most labels.
    const longest = Math.min(22, run.lanes.reduce((most, name) => Math.max(most, name.length), 4));
    let letters = 0;
    for (let step = 0; step < Math.min(run.length, 2000); step++) letters = Math.max(letters, run.label(step).length);
    this.laneWidth = Math.max(count > 12 ? 74 : 92, Math.min(170, Math.max(longest * 8 + 26, letters * LETTER + 18)));
    const [before, behind] = this.labelsReach();
    /** Where the first lane begins: labels at the left of a lane have room, too. */
    this.left = NUMBERS + Math.max(0, before);
    this.lanesWidth = Math.max(count * this.laneWidth, behind) + 24;
    this.hasQueues = run.raw.processes && run.channels.length > 0;
    this.width = this.left + this.lanesWidth + (this.hasQueues ? this.queuesWidth() : 0);
    this.rows = run.length + 1;
    this.heads.style.width = this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.rows * ROW + 16}px`;
  }

  /** The room for what channels hold; of a long run some is enough, and more can be scrolled to. */
  queuesWidth() {
    let width = 150;
    for (let step = 0; step < Math.min(this.run.length, 200); step++) {
      const state = this.run.after(step + 1);
      const each = this.run.touched(step).slice(0, 3).map(channel => {
        const held = state.queues[channel].slice(0, 5);
        return Math.min(16, this.run.channels[channel].length) * LETTER + 36 + Math.max(40, held.reduce((sum, id) => sum + Math.min(14, this.run.text(id).length) * 7 + 16, 0)) + (state.queues[channel].length > 5 ? 26 : 0);
      });
      width = Math.max(width, each.reduce((sum, one) => sum + one, 10));
    }
    return Math.min(width, 640);
  }

  /** @param {number} lane */
  x(lane) {
    return this.left + this.laneWidth * (lane + 0.5);
  }

  /** Where a label begins: it stands beside the first who moves, above the line to the others. */
  labelAt(step) {
    const moves = this.run.raw.steps[step][1] ?? [];
    return Math.min(...moves.map(move => move[0]));
  }

  /** A label stands at the side of its lane where no arrow is. @param {number} step */
  isAtLeft(step) {
    const [, moves, message] = this.run.raw.steps[step];
    if (!message || moves?.length !== 1 || message[3] < 0) return false;
    return this.run.lane(message[3]) > moves[0][0];
  }

  /** How far labels reach, before the first lane begins and behind it. @returns {[number, number]} */
  labelsReach() {
    let before = 0, behind = 0;
    for (let step = 0; step < this.run.length; step++) {
      if (!this.run.raw.steps[step][1]?.length) continue;
      const middle = this.laneWidth * (this.labelAt(step) + 0.5), long = Math.min(MOST_LETTERS, this.run.label(step).length) * LETTER;
      if (this.isAtLeft(step)) before = Math.max(before, long + 14 - middle);
      else behind = Math.max(behind, middle + long);
    }
    return [before, behind];
  }

  /** The names of some lanes. @param {number} from @param {number} to */
  head(from, to) {
    const names = this.run.lanes.slice(from, to).map((name, index) => [name, from + index]).map(([name, lane]) => html("div", {
      class: "head", title: shortened(name, 300),
      style: { left: `${this.x(lane) - this.laneWidth / 2 + 4}px`, width: `${this.laneWidth - 8}px`, "--lane": laneColor(lane) },
    }, html("span", {}, shortened(name, 40))));
    if (this.hasQueues) names.push(html("div", { class: "head queues-head", style: { left: `${this.left + this.lanesWidth}px`, width: "270px" } }, "channels"));
    return names;
  }

  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => { this.scheduled = false; this.draw(); });
  }

  /** Goes to the state behind so many steps. @param {number} step @param {boolean} [jump] */
  select(step, jump = false) {
    this.current = Math.max(0, Math.min(this.run.length, step));
    const view = this.element, top = Math.max(0, this.current - 1) * ROW, height = view.clientHeight - 48;
    if (top < view.scrollTop + ROW || top > view.scrollTop + height - 2 * ROW) {
      view.scrollTop = jump ? top - height / 2 : top < view.scrollTop + ROW ? top - ROW : top - height + 3 * ROW;
    }
    const lane = this.current > 0 ? this.run.lane(this.current - 1) : -1;
    if (lane >= 0) {
      const x = this.x(lane), left = x - this.laneWidth / 2 - NUMBERS, right = x + this.laneWidth;
      if (left < view.scrollLeft) view.scrollLeft = left;
      else if (right > view.scrollLeft + view.clientWidth) view.scrollLeft = right - view.clientWidth;
    }
    this.draw();
    this.onSelect(this.current);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 3);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) { this.select(this.current + steps[event.key]); event.preventDefault(); }
    if (event.key === "m" || event.key === "M") { this.follow(); event.preventDefault(); }
    if (event.key === "l" && this.run.loop !== null) { this.select(this.run.loop + 1, true); event.preventDefault(); }
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      this.alongLane(event.key === "ArrowRight" ? 1 : -1);
      event.preventDefault();
    }
  }

  /** To the other end of the message of this step. */
  follow() {
    const message = this.current > 0 && this.run.message(this.current - 1);
    if (message && message.other >= 0) this.select(message.other + 1, true);
  }

  /** To the next step of the same lane. @param {number} direction */
  alongLane(direction) {
    if (this.current === 0) return;
    const lane = this.run.lane(this.current - 1);
    for (let step = this.current - 1 + direction; step >= 0 && step < this.run.length; step += direction) {
      if (this.run.raw.steps[step][1]?.some(move => move[0] === lane)) { this.select(step + 1, true); return; }
    }
  }

  draw() {
    const view = this.element;
    const first = Math.max(0, Math.floor(view.scrollTop / ROW) - 4);
    const last = Math.min(this.rows - 1, first + Math.ceil((view.clientHeight || 600) / ROW) + 8);
    const top = first * ROW;
    const width = Math.max(this.width, view.clientWidth);
    const seen = [view.scrollLeft - 200, view.scrollLeft + (view.clientWidth || 2000) + 200];
    const lanes = seen.map(x => Math.max(0, Math.min(this.run.lanes.length, Math.ceil((x - this.left) / this.laneWidth))));
    const drawn = [first, last, this.current, width, view.scrollLeft > 0, ...lanes].join();
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.heads.replaceChildren(...this.head(...lanes));
    view.classList.toggle("scrolled", view.scrollLeft > 0);
    adorn(this.svg, { width, height: (last - first + 1) * ROW + 16, style: { top: `${top}px` } });
    const parts = [this.marker(), ...this.frame(first, last, top), ...this.lifelines(lanes, last, top)];
    if (this.current > first && this.current - 1 <= last) {
      parts.unshift(svg("rect", { class: "current", x: 0, y: (this.current - 1) * ROW - top, width, height: ROW }));
    }
    for (const send of this.run.arrows(first, last)) parts.push(...this.arrow(send, top));
    const rows = [];
    for (let step = first; step <= last; step++) {
      if (step < this.run.length) {
        parts.push(...this.step(step, top));
        rows.push(this.row(step));
      } else {
        parts.push(...this.end(lanes, top));
      }
    }
    this.svg.replaceChildren(...parts);
    this.list.replaceChildren(...rows);
    view.setAttribute("aria-activedescendant", this.current > 0 ? `step-${this.current}` : "");
  }

  marker() {
    const tip = svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" },
      svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }));
    return svg("defs", {}, tip);
  }

  /** The loop of an infinite run. */
  frame(first, last, top) {
    const { loop, length } = this.run;
    if (loop === null || loop >= length || loop > last) return [];
    const y = Math.max(loop, first - 1) * ROW - top + 2, end = Math.min(length, last + 2) * ROW - top - 2;
    return [svg("rect", { class: "loop", x: 6, y, width: this.width - 12, height: Math.max(10, end - y), rx: 8 })];
  }

  lifelines([from, to], last, top) {
    const end = Math.min(this.rows * ROW, (last + 1) * ROW) - top;
    return Array.from({ length: to - from }, (_, index) => from + index).map(lane => svg("line", { class: "lifeline", x1: this.x(lane), x2: this.x(lane), y1: 0, y2: end, style: { "--lane": laneColor(lane) } }));
  }

  /** From the send to the receive; a message that is never received ends in its channel. */
  arrow(send, top) {
    const message = this.run.message(send), from = this.run.lane(send);
    if (!message || from < 0) return [];
    const x1 = this.x(from), y1 = (send + 0.5) * ROW - top;
    const now = this.current - 1 === send || this.current - 1 === message.other;
    const about = { "data-from": send + 1, "data-channel": this.run.channels[message.channel], "data-text": message.text, "data-sender": this.run.lanes[from], style: { "--lane": laneColor(from) } };
    if (message.other < 0) {
      return [svg("path", { class: `arrow left${now ? " now" : ""}`, d: `M${x1} ${y1}h-26`, ...about }), svg("circle", { class: "left-end", cx: x1 - 29, cy: y1, r: 3 })];
    }
    const to = this.run.lane(message.other), x2 = this.x(to), y2 = (message.other + 0.5) * ROW - top;
    const side = to > from ? -1 : 1;
    const d = from === to
      ? `M${x1} ${y1}C${x1 - 46} ${y1 + 6} ${x1 - 46} ${y2 - 6} ${x2 - 6} ${y2}`
      : `M${x1} ${y1}C${x1 - side * 30} ${y1} ${x2 + side * 50} ${y2} ${x2 + side * 6} ${y2}`;
    return [svg("path", { class: `arrow${now ? " now" : ""}`, d, "marker-end": "url(#tip)", ...about, "data-to": message.other + 1, "data-receiver": this.run.lanes[to] })];
  }

  step(step, top) {
    const y = (step + 0.5) * ROW - top, moves = this.run.moves(step), message = this.run.message(step);
    const now = this.current - 1 === step, parts = [];
    if (!moves.length) return [svg("text", { class: "label remark", x: NUMBERS + 8, y: y + 4 }, shortened(this.run.label(step), 60))];
    const lanes = moves.map(move => move.lane), first = moves[0];
    // The line of a step of several lanes is below its label.
    const line = moves.length > 1 ? y + 7 : y;
    if (message?.fate === HANDED_OVER && moves.length > 1) {
      const side = lanes[1] > lanes[0] ? -1 : 1;
      parts.push(svg("path", {
        class: `arrow rendezvous${now ? " now" : ""}`, d: `M${this.x(lanes[0])} ${line}H${this.x(lanes[1]) + side * 6}`, "marker-end": "url(#tip)", style: { "--lane": laneColor(lanes[0]) },
        "data-from": step + 1, "data-to": step + 1, "data-channel": this.run.channels[message.channel], "data-text": message.text,
        "data-sender": this.run.lanes[lanes[0]], "data-receiver": this.run.lanes[lanes[1]],
      }));
    } else if (moves.length > 1) {
      parts.push(svg("line", { class: `shared${now ? " now" : ""}`, x1: this.x(Math.min(...lanes)), x2: this.x(Math.max(...lanes)), y1: line, y2: line, "data-step": step + 1 }));
    }
    if (this.run.atomic(step)) parts.push(svg("line", { class: "atomic", x1: this.x(first.lane), x2: this.x(first.lane), y1: y, y2: y + ROW, style: { "--lane": laneColor(first.lane) } }));
    for (const lane of lanes) parts.push(svg("circle", { class: `dot${now ? " now" : ""}`, cx: this.x(lane), cy: line, r: now ? 6 : 4.5, style: { "--lane": laneColor(lane) } }));
    const left = this.isAtLeft(step), x = this.x(this.labelAt(step)) + (left ? -11 : 11), text = shortened(this.run.label(step), MOST_LETTERS);
    parts.push(svg("text", { class: `label${left ? " left-label" : ""}${message ? " message" : ""}${now ? " now" : ""}`, x, y: moves.length > 1 ? line - 6 : y + 4.5 }, text));
    return parts;
  }

  /** Where the lanes are at the end. */
  end([from, to], top) {
    const y = (this.run.length + 0.5) * ROW - top, parts = [];
    const { waiting, stuck } = this.run.raw;
    for (const waits of waiting.filter(waits => waits.lane >= from && waits.lane < to)) {
      const x = this.x(waits.lane), done = waits.done, kind = done ? "done" : stuck ? "stuck" : "here";
      parts.push(svg("g", { class: `end ${kind}`, "data-lane": this.run.lanes[waits.lane] },
        svg("rect", { x: x - 7, y: y - 7, width: 14, height: 14, rx: done ? 7 : 3 }),
        svg("text", { x, y: y + 4 }, done ? "✓" : stuck ? "!" : "·"),
        svg("title", {}, done ? "may stop here" : waits.events.map(one => this.run.text(one.event) + (one.why === null ? "" : ": " + this.run.text(one.why))).join("\n"))));
    }
    return parts;
  }

  /** What a row has beside the lanes: its number, the channels, and what screen readers say. */
  row(step) {
    const { run } = this, now = this.current - 1 === step, moves = run.moves(step);
    const names = moves.map(move => run.lanes[move.lane]).join(", ");
    const loop = run.loop === step ? html("span", { class: "loop-mark", title: "from here on forever" }, "⟲") : null;
    const gap = run.raw.gap && run.raw.gap[0] === step ? html("span", { class: "gap", title: counted(run.raw.gap[1], "step") + " left out" }, "⋮") : null;
    const queues = this.hasQueues && run.touched(step).length ? this.queues(step) : null;
    return html("div", {
      class: now ? "row now" : "row", id: `step-${step + 1}`, role: "option", "aria-selected": String(now), style: { top: `${step * ROW}px`, width: `${this.width}px` },
      "aria-label": shortened(`step ${run.number(step)}: ${names}: ${run.label(step)}`, 300), onclick: () => { this.select(step + 1); this.element.focus({ preventScroll: true }); },
      title: shortened([run.label(step), ...moves.flatMap(move => move.changes.map(([name, value]) => `${name} = ${value}`)), ...run.remarks(step)].join("\n"), 600),
    }, html("span", { class: "number" }, gap, loop, run.number(step)), queues);
  }

  /** @param {number} step */
  queues(step) {
    const state = this.run.after(step + 1);
    return html("span", { class: "row-queues", style: { left: `${this.left + this.lanesWidth}px` } }, this.run.touched(step).slice(0, 3).map(channel => {
      const held = state.queues[channel], shown = held.slice(0, 5).map(id => html("span", { class: "chip" }, shortened(this.run.text(id), 14)));
      return html("span", { class: "row-queue", "data-channel": this.run.channels[channel] }, html("b", {}, shortened(this.run.channels[channel], 16)), html("span", { class: "mouth" }), shown, held.length > 5 ? html("span", { class: "more" }, `+${held.length - 5}`) : null, held.length ? null : html("i", {}, "empty"));
    }));
  }
}
