// The states around the current one: columns are steps away, a click or Enter walks there.

const COLUMN = 176;
const LINE_OF_STATES = 30;

class StateGraph {
  /** @param {(kept: number, then: any[]) => void} onWalk */
  constructor(onWalk) {
    this.onWalk = onWalk;
    this.place = html("div", { class: "wide graph" });
    this.element = html("section", { class: "panel graph-panel" }, html("h3", {}, "States around this one"), this.place,
      html("p", { class: "hint legend" }, LEGEND.map(([kind, text]) => [svg("svg", { class: "legend-mark", width: 16, height: 16, viewBox: "-8 -8 16 16", "aria-hidden": "true" }, svg("circle", { class: `state ${kind}`, r: 5.5 })), ` ${text} `])));
  }

  /** @param {{states: any[][], steps: [number, number, string][], here: number}} around */
  show({ states, steps, here }) {
    const first = Math.min(...states.map(([column]) => column));
    const columns = [], row = new Map(), into = new Map();
    for (const [from, to, label] of steps) if (!into.has(to) && states[from][0] < states[to][0]) into.set(to, [from, label]);
    states.forEach(([column], index) => (columns[column - first] ??= []).push(index));
    // A state stands near the one it is reached from.
    for (const column of columns) {
      column.sort((a, b) => (row.get(into.get(a)?.[0]) ?? 0) - (row.get(into.get(b)?.[0]) ?? 0));
      column.forEach((index, at) => row.set(index, at - (column.length - 1) / 2));
    }
    const most = Math.max(...columns.map(column => column.length)), height = most * LINE_OF_STATES + 24, width = columns.length * COLUMN + 10;
    const x = index => 18 + (states[index][0] - first) * COLUMN, y = index => height / 2 + row.get(index) * LINE_OF_STATES;
    const tip = svg("marker", { id: "way-tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "way-tip" }));
    const ways = steps.map(([from, to, label]) => {
      const [x1, y1, x2, y2] = [x(from), y(from), x(to), y(to)], ahead = states[to][0] > states[from][0];
      const d = from === to ? `M${x1 - 4} ${y1 - 6}c-12 -20 20 -20 9 -1` : ahead ? `M${x1 + 8} ${y1}C${x1 + 70} ${y1} ${x2 - 70} ${y2} ${x2 - 9} ${y2}` : `M${x1} ${y1 + 8}C${x1 - 20} ${y1 + 40} ${x2 + 20} ${y2 + 40} ${x2 + 2} ${y2 + 9}`;
      const walked = states[from][3] && states[to][3] && ahead;
      return svg("path", { class: `way${ahead ? "" : " back"}${walked ? " walked" : ""}${from === here ? " next" : ""}`, d, "marker-end": "url(#way-tip)" }, svg("title", {}, label));
    });
    const nodes = states.map(([column, kept, then, passed, end, more], index) => {
      const kind = `state${index === here ? " here" : ""}${passed ? " passed" : ""}${end ? ` ${end}` : ""}${more ? " more" : ""}`;
      const label = into.get(index)?.[1] ?? "", said = index === here ? "the current state" : `${end ? END_WORDS[end] + ", " : ""}${label || "the first state"}`;
      const go = () => { if (index !== here) this.onWalk(kept, then); };
      return svg("g", { class: "state-place", transform: `translate(${x(index)} ${y(index)})` },
        svg("circle", { class: kind, r: index === here ? 8.5 : 6.5, tabindex: index === here ? null : "0", role: "button", "aria-label": said, "data-column": column, onclick: go, onkeydown: event => { if (event.key === "Enter") go(); } }, svg("title", {}, said)),
        label && !passed ? svg("text", { x: 12, y: -5, class: column === states[here][0] + 1 ? "near" : "" }, shortened(label.slice(label.indexOf(" ") + 1), 21)) : null);
    });
    this.place.replaceChildren(svg("svg", { class: "states", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "states around the current one" }, svg("defs", {}, tip), ways, nodes));
    const middle = x(here) - this.place.clientWidth / 3;
    this.place.scrollLeft = Math.max(0, middle);
  }
}

const END_WORDS = { error: "ends in an error", stuck: "nothing can move", end: "every process may stop" };
const LEGEND = [["here", "here"], ["passed", "walked through"], ["more", "has more steps"], ["stuck", "stuck or an error"], ["end", "a valid end"]];
