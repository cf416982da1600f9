// The explorer: a walk through a model. The server is asked with all steps of the walk; going back is asking with fewer.

class Explorer {
  constructor(data) {
    this.data = data;
    /** @type {any[]} */
    this.steps = [];
    /** Steps that were undone, and can be taken again. @type {any[]} */
    this.undone = [];
    this.source = new SourceView(data);
    this.enabled = html("div", { class: "enabled", role: "list" });
    this.chartPlace = html("section", { class: "panel chart-panel" });
    this.waitingPlace = html("div", {});
    this.values = html("table", { class: "values" });
    this.stacks = html("div", { class: "stacks" });
    this.runs = html("span", { class: "runs" });
    this.note = html("p", { class: "hint", role: "status" });
    this.graph = new StateGraph((kept, then) => this.go([...this.steps.slice(0, kept), ...then]));
    /** What was asked last: an earlier answer that comes later is of no interest. */
    this.asked = 0;
    const button = (title, label, action) => html("button", { type: "button", title, onclick: action }, label);
    const bar = html("div", { class: "bar-of-chart" }, button("back to the first state (Home)", "|◀", () => this.go([])), button("undo (Backspace)", "↶ undo", () => this.undo()), button("take the step again (Shift+Backspace)", "↷ redo", () => this.redo()),
      button("a step at random (r)", "⚂ random", () => this.random()), button("check the model, and list the runs that violate a property", "find violations", () => this.find()), this.runs, button("save the walk as a trace for `simulate --replay`", "save trace", () => this.save()));
    const top = html("header", { class: "top" }, html("h1", {}, html("span", { class: "logo", "aria-hidden": "true" }), "Highwater"), html("span", { class: "chips" }, html("code", {}, shortened(data.name, 200))), html("button", { type: "button", class: "theme", title: "light or dark (t)", onclick: () => this.theme() }, "◐"));
    document.getElementById("page").replaceChildren(top, html("main", { class: "explorer" }, html("section", { class: "panel bar-panel" }, bar), this.note,
      html("div", { class: "split" }, html("div", { class: "middle" }, html("section", { class: "panel" }, html("h3", {}, "Steps that can be taken"), this.enabled), this.waitingPlace, this.chartPlace, this.graph.element),
        html("div", { class: "beside" }, this.source.element, html("section", { class: "panel" }, html("h3", {}, "Channels"), this.stacks), html("section", { class: "panel" }, html("h3", {}, "Variables"), this.values)))));
    document.addEventListener("keydown", event => this.key(event));
    this.go([]);
  }

  async ask(what, body) {
    const response = await fetch(what, { method: "POST", body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(JSON.parse(text).error ?? text);
    return text;
  }

  /** Goes where these steps lead. @param {any[]} steps */
  async go(steps, undone = []) {
    const asked = ++this.asked;
    try {
      const here = JSON.parse(await this.ask("walk", steps));
      if (asked !== this.asked) return;
      [this.steps, this.undone] = [steps, undone];
      this.show(here);
      // Not while steps are taken quickly.
      setTimeout(() => { if (asked === this.asked) this.look(asked); }, 40);
    } catch (error) {
      this.say(String(error));
    }
  }

  /** The states around the current one. @param {number} asked */
  async look(asked) {
    const around = JSON.parse(await this.ask("around", this.steps));
    this.graph.element.hidden = !around.states.length;
    if (asked === this.asked && around.states.length) this.graph.show(around);
  }

  say(text) {
    this.note.textContent = visible(text);
  }

  take(index) {
    const one = this.here.enabled[index];
    if (one) return this.go([...this.steps, one.key]);
  }

  undo() {
    if (this.steps.length) return this.go(this.steps.slice(0, -1), [this.steps[this.steps.length - 1], ...this.undone]);
  }

  redo() {
    if (this.undone.length) return this.go([...this.steps, this.undone[0]], this.undone.slice(1));
  }

  random() {
    const count = this.here.enabled.length;
    if (count) return this.take(Math.floor(Math.random() * count));
  }

  async find() {
    this.say("checking …");
    try {
      const runs = JSON.parse(await this.ask("violations", []));
      this.say(runs.length ? "" : "no violation was found");
      this.runs.replaceChildren(...runs.map(([property, steps]) => html("button", { type: "button", class: "violation-button", onclick: () => this.go(steps) }, `✘ ${property} (${counted(steps.length, "step")})`)));
    } catch (error) {
      this.say(String(error));
    }
  }

  async save() {
    const trace = await this.ask("trace", this.steps);
    const link = html("a", { href: URL.createObjectURL(new Blob([trace], { type: "application/json" })), download: "trace.json" });
    link.click();
    this.say("saved: highwater simulate MODEL --replay trace.json");
  }

  show(here) {
    this.here = here;
    Object.assign(this.data, { strings: here.strings, places: here.places });
    const run = new Run(this.data, here.run), onPlace = place => this.source.show([place], "mark");
    if (this.chart) this.chart.load(run);
    else {
      this.chart = new Chart(run, () => {});
      this.chartPlace.replaceChildren(this.chart.element);
      this.chart.element.addEventListener("click", () => { if (this.chart.current < this.steps.length) this.go(this.steps.slice(0, this.chart.current), this.steps.slice(this.chart.current)); });
    }
    this.chart.select(run.length, true);
    const text = id => here.strings[id];
    const places = here.places, at = place => place === null ? null : [place, places[place]];
    const choices = here.enabled.map((one, index) => ({ ...one, digit: index < 9 ? index + 1 : 0, label: text(one.label), names: one.lanes.map(lane => [lane, run.lanes[lane]]) }));
    renew(this.enabled, choices, one => [one.key, one.digit, one.label, one.names, one.fault, at(one.place)], one => html("div", { role: "listitem", class: "choice" },
      html("button", { type: "button", class: `take${one.fault ? " fault" : ""}`, onclick: () => this.go([...this.steps, one.key]), onfocus: () => one.place !== null && onPlace(one.place) },
        one.digit ? html("kbd", {}, one.digit) : null, " ", one.lanes.map((lane, n) => [n ? " → " : "", laneName(run, lane)]), " ", html("code", {}, shortened(one.label, 160)), one.fault ? html("span", { class: "status stuck" }, "ends in an error") : null), placeLink(this.data, one.place, onPlace)));
    const { problem, stuck, place } = here.run;
    const ended = !here.enabled.length;
    const message = text(problem);
    const end = message ? html("div", { class: "problem" }, html("b", {}, prose(message)), " ", placeLink(this.data, place, onPlace)) : ended ? html("p", {}, "The run ends here: every process may stop.") : null;
    if (ended) renew(this.enabled, [0], () => "ended", () => html("p", { class: "hint" }, "no step can be taken"));
    this.waitingPlace.replaceChildren(...[end, stuck ? waitingPanel(this.data, run, onPlace) : null].filter(Boolean));
    const touched = run.length ? run.touched(run.length - 1).map(channel => run.channels[channel]) : [];
    const queues = here.channels.slice(0, 300).map(([name, held]) => [text(name), held.slice(0, 20).map(text), held.length, touched.includes(text(name))]);
    renew(this.stacks, queues, queue => queue, ([name, held, length, now]) => html("div", { class: now ? "stack now" : "stack", "data-channel": name }, html("b", {}, shortened(name, 24)), html("span", { class: "held" }, held.map(one => html("span", { class: "chip" }, shortened(one, 24))), held.length ? null : html("i", {}, "empty")), html("span", { class: "count" }, length)));
    const changed = new Set(run.length ? run.moves(run.length - 1).flatMap(move => move.changes.map(([name]) => name)) : []);
    const values = here.variables.slice(0, 1000).map(([name, value]) => [text(name), text(value), changed.has(text(name))]);
    renew(this.values, values, one => one, ([name, value, now]) => html("tr", { class: now ? "now" : "" }, html("th", { scope: "row" }, shortened(name, 40)), html("td", {}, shortened(value, 80))));
    const moved = run.length ? run.moves(run.length - 1).map(move => move.place) : [];
    const next = here.enabled.map(one => one.place).filter(one => one !== null);
    this.source.show(moved.some(one => one >= 0) ? moved : next.length ? next.slice(0, 1) : [place ?? -1], "mark");
    document.body.dataset.steps = String(this.steps.length);
    this.say("");
  }

  theme() {
    const root = document.documentElement, dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "light" : "dark";
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.here) return;
    if (/^[1-9]$/.test(event.key)) this.take(Number(event.key) - 1);
    else if (event.key === "Backspace") { event.shiftKey ? this.redo() : this.undo(); event.preventDefault(); }
    else if (event.key === "u") this.undo();
    else if (event.key === "r") this.random();
    else if (event.key === "t") this.theme();
    else if (event.key === "Home") this.go([]);
  }
}

const model = document.getElementById("model");
if (model) {
  const explorer = new Explorer(JSON.parse(model.textContent));
  // For whoever drives the page: the steps of the walk.
  /** @type {any} */ (window).walked = () => explorer.steps;
}
