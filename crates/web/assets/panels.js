// What stands beside a chart: why lanes wait, the current step, queues, variables; bounds of channels; the picture of a system.

/** A place that can be clicked. */
function placeLink(data, place, onPlace) {
  if (place === null || place === undefined || place < 0) return null;
  const [file, line] = data.places[place];
  const { name, place: named } = data.files[file];
  const text = named ? name : `${name.split("/").pop()}:${line}`;
  return html("button", { class: "place", type: "button", onclick: () => onPlace(place), title: shortened(`${name}:${line}`, 300) }, shortened(text, 60));
}

/** A lane by its name, in its colour. */
function laneName(run, lane) {
  return html("span", { class: "lane-name", style: { "--lane": laneColor(lane) } }, shortened(run.lanes[lane] ?? "?", 60));
}

/** Why each lane waits. */
function waitingPanel(data, run, onPlace) {
  const { waiting, stuck, circle } = run.raw;
  if (!waiting.length) return null;
  const rows = waiting.slice(0, 200).map(waits => {
    const state = waits.state === null ? null : html("span", {}, "in ", html("code", {}, run.text(waits.state)));
    const status = waits.done ? html("span", { class: "status done" }, "may stop here") : stuck ? html("span", { class: "status stuck" }, waits.events.length ? "waits" : "can do nothing any more") : html("span", { class: "status" }, "is here");
    const events = waits.done && !stuck ? [] : waits.events.slice(0, 12).map(one => {
      const why = one.why === null ? "" : run.text(one.why);
      const refused = one.refused.map(([lane, where], n) => [n ? " and " : "refused by ", laneName(run, lane), " in ", html("code", {}, run.text(where))]);
      return html("li", {}, html("code", { class: "statement" }, shortened(run.text(one.event), 200)), " ", placeLink(data, one.place, onPlace), why ? html("div", { class: "why" }, prose(why)) : null, refused.length ? html("div", { class: "why" }, refused) : null);
    });
    if (waits.events.length > 12) events.push(html("li", {}, `and ${waits.events.length - 12} more`));
    return html("div", { class: "waits", "data-lane": run.lanes[waits.lane] }, html("div", { class: "waits-head" }, laneName(run, waits.lane), status, state, events.length ? null : placeLink(data, waits.place, onPlace)), events.length ? html("ul", {}, events) : null);
  });
  if (waiting.length > 200) rows.push(html("p", {}, `and ${waiting.length - 200} more`));
  const round = circle.length ? html("p", { class: "circle" }, "They wait in a circle: ", [...circle, circle[0]].map((lane, n) => [n ? " → " : "", laneName(run, lane)])) : null;
  const title = stuck ? "Why nothing can move" : run.loop === null ? "Where it ends" : "Where a round ends";
  return html("section", { class: "panel waiting" }, html("h3", {}, title), html("div", { class: "waits-list" }, rows), round);
}

/** The current step: who, what, and what changes. */
function stepPanel(data, run, onPlace) {
  const body = html("div", { class: "step-body", "aria-live": "polite" });
  const element = html("section", { class: "panel step" }, body);
  const show = current => {
    if (current === 0) {
      body.replaceChildren(html("h3", {}, "Before the first step"), html("p", { class: "hint" }, run.length ? "↓ takes the first step." : "The first state is the violation."), ...run.raw.remarks.map(id => html("p", { class: "remark" }, prose(run.text(id)))));
      return;
    }
    const step = current - 1, moves = run.moves(step), message = run.message(step);
    const lines = moves.map(move => html("div", { class: "mover" }, laneName(run, move.lane), move.does ? html("code", {}, shortened(move.does, 300)) : null,
      move.from ? html("span", {}, html("code", {}, move.from), move.from === move.to ? null : [" → ", html("code", {}, move.to)]) : null, placeLink(data, move.place, onPlace),
      move.changes.length ? html("div", { class: "changes" }, move.changes.map(([name, value]) => html("span", { class: "change" }, html("code", {}, `${shortened(name, 40)} = ${shortened(value, 60)}`)))) : null,
      move.remarks.map(remark => html("p", { class: "remark" }, prose(remark)))));
    const other = message && message.other >= 0 ? html("p", { class: "hint" }, message.fate === SENT ? `received in step ${run.number(message.other)}` : `sent in step ${run.number(message.other)}`, " ", html("kbd", {}, "m")) : message?.fate === SENT ? html("p", { class: "hint" }, "never received in this run") : null;
    body.replaceChildren(html("h3", {}, `Step ${run.number(step)} of ${run.number(run.length - 1)}`, run.loop !== null && step >= run.loop ? html("span", { class: "loop-note" }, "⟲ repeats forever") : null),
      html("p", { class: "event" }, html("code", {}, shortened(run.label(step), 400))), ...lines, ...[other].filter(Boolean), ...run.remarks(step).map(remark => html("p", { class: "remark" }, prose(remark))));
  };
  return { element, show };
}

/** What the queues hold and what the variables are, after the current step. */
function statePanel(run, bounds) {
  const queues = html("div", { class: "stacks" }), values = html("table", { class: "values" });
  const queuesPanel = html("section", { class: "panel" }, html("h3", {}, "Channels"), queues);
  const valuesPanel = html("section", { class: "panel" }, html("h3", {}, "Variables that changed so far"), values);
  const show = current => {
    const state = run.after(current);
    const touched = current > 0 ? run.touched(current - 1) : [];
    const changed = new Set(current > 0 ? run.moves(current - 1).flatMap(move => move.changes.map(([name]) => name)) : []);
    queues.replaceChildren(...run.channels.slice(0, 60).map((name, channel) => {
      const held = state.queues[channel], capacity = bounds.get(name);
      const shown = held.slice(0, 8).map(id => html("span", { class: "chip", title: shortened(run.text(id), 300) }, shortened(run.text(id), 24)));
      const empty = capacity && held.length < capacity && capacity <= 8 ? Array.from({ length: capacity - held.length }, () => html("span", { class: "chip slot" })) : [];
      return html("div", { class: touched.includes(channel) ? "stack now" : "stack", "data-channel": name }, html("b", { title: shortened(name, 300) }, shortened(name, 24)),
        html("span", { class: "held" }, shown, held.length > 8 ? html("span", { class: "more" }, `… ${held.length - 8} more`) : null, empty, !held.length && !empty.length ? html("i", {}, "empty") : null),
        html("span", { class: "count" }, capacity ? `${held.length}/${capacity}` : held.length));
    }));
    const rows = [...state.values].slice(0, 200).map(([name, value]) => html("tr", { class: changed.has(name) ? "now" : "" }, html("th", { scope: "row" }, shortened(name, 40)), html("td", {}, shortened(value, 80))));
    values.replaceChildren(...rows);
    valuesPanel.hidden = !rows.length;
  };
  queuesPanel.hidden = !run.channels.length || !run.raw.processes;
  return { elements: [queuesPanel, valuesPanel], show };
}

/** How long channels get. */
function boundsPanel(data, channels, onPlace) {
  if (!channels.length) return null;
  const text = id => data.strings[id];
  const shown = channels.slice(0, 500);
  const most = Math.max(1, ...shown.map(one => one.at_most ?? 0));
  const names = list => list.length ? list.slice(0, 4).map(id => shortened(text(id), 24)).join(", ") + (list.length > 4 ? ` … (${list.length})` : "") : "none";
  const rows = shown.map(one => html("tr", { class: one.state },
    html("th", { scope: "row" }, html("code", {}, shortened(text(one.name), 40))), html("td", { class: "n" }, one.declared === 0 ? "rendezvous" : one.declared ?? "–"),
    html("td", { class: "bound" }, one.declared === 0 ? "–" : [html("span", { class: "bar", style: { "--share": one.state === "bounded" ? Math.sqrt((one.at_most ?? 0) / most) : 1 } }), html("span", {}, one.bound)]),
    html("td", { class: "n" }, one.reached ?? ""), html("td", {}, one.exact ? "exact" : ""), html("td", {}, one.messages.slice(0, 4).map(id => html("span", { class: "chip" }, shortened(text(id), 20)))),
    html("td", {}, names(one.senders), " → ", names(one.receivers)), html("td", {}, placeLink(data, one.place, onPlace))));
  const heads = ["channel", "declared", "at most", "reached", "", "messages", "from → to", "declared at"].map(head => html("th", { scope: "col", class: head === "declared" || head === "reached" ? "n" : null }, head));
  const more = channels.length > 500 ? html("p", {}, `and ${channels.length - 500} more; --output json=FILE has all`) : null;
  return html("section", { class: "panel" }, html("h3", {}, "How long the channels get"), html("div", { class: "wide" }, html("table", { class: "bounds" }, html("thead", {}, html("tr", {}, heads)), html("tbody", {}, rows))), more);
}

/** Processes and the channels between them; the width of an edge grows with the bound. */
function picturePanel(picture) {
  if (!picture) return null;
  const tip = svg("marker", { id: "edge-tip", viewBox: "0 0 8 8", refX: 1, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "edge-tip" }));
  const edges = picture.edges.map(edge => svg("path", { class: `edge ${edge.kind}`, d: edge.path, "stroke-width": edge.width.toFixed(1), "marker-end": "url(#edge-tip)" }));
  const nodes = picture.nodes.map(node => {
    const x = node.x + node.width / 2, y = node.y + node.height / 2 + (node.note ? -2 : 4.5);
    return svg("g", { class: `node ${node.kind}` }, svg("rect", { x: node.x, y: node.y, width: node.width, height: node.height, rx: node.kind === "process" ? 6 : node.height / 2 }), svg("text", { x, y }, shortened(node.label, 40)), node.note ? svg("text", { class: "note", x, y: y + 14 }, node.note) : null);
  });
  const { width, height } = picture;
  return html("section", { class: "panel" }, html("h3", {}, "The system"), html("div", { class: "wide" }, svg("svg", { class: "picture", role: "img", "aria-label": "processes and channels", viewBox: `0 0 ${width} ${height}`, width, height }, svg("defs", {}, tip), edges, nodes)));
}

function cyclesPanel(data, cycles, onPlace) {
  if (!cycles.length) return null;
  const text = id => data.strings[id];
  const rows = cycles.map(cycle => html("li", {}, html("b", {}, text(cycle.process)), ` × ${text(cycle.times)}: `, cycle.statements.slice(0, 20).map(([statement, place]) => [html("code", {}, shortened(text(statement), 80)), " ", placeLink(data, place, onPlace), " "]), html("span", { class: "why" }, cycle.effects.map(([name, gain]) => `${text(name)} ${gain > 0 ? "+" : ""}${gain} `))));
  return html("section", { class: "panel" }, html("h3", {}, "Cycles that are not refuted"), html("ul", {}, rows));
}

function unreachedPanel(data, unreached, onPlace) {
  if (!unreached.length) return null;
  const rows = unreached.slice(0, 300).map(([process, text, place]) => html("tr", {}, html("th", { scope: "row" }, shortened(data.strings[process], 40)), html("td", {}, html("code", {}, shortened(data.strings[text], 200))), html("td", {}, placeLink(data, place, onPlace))));
  return html("section", { class: "panel" }, html("h3", {}, `Never executed: ${counted(unreached.length, "statement")}`), html("table", { class: "values" }, rows));
}

function diagnosticsPanel(data, diagnostics, onPlace) {
  if (!diagnostics.length) return null;
  const rows = diagnostics.slice(0, 200).map(one => html("li", { class: one.error ? "error" : "warning" }, html("b", {}, one.error ? "error" : "warning"), ` ${one.code}: `, prose(data.strings[one.message]), " ", placeLink(data, one.place, onPlace), one.help.map(id => html("div", { class: "why" }, prose(data.strings[id])))));
  return html("section", { class: "panel" }, html("h3", {}, "What the reader of the file says"), html("ul", {}, rows));
}
