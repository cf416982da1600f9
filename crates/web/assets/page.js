// The page: results on the left, what was found about one of them on the right.

/** One result with everything that belongs to it. */
class ResultView {
  constructor(data, report, result) {
    const source = new SourceView(data);
    const onPlace = place => source.show([place], "mark");
    this.data = data;
    this.runs = [result.run, ...(result.others ?? [])].filter(Boolean).map(run => new Run(data, run));
    this.run = this.runs[0] ?? null;
    const text = id => data.strings[id];
    const bounds = new Map(result.unbounded ? [] : report.results.flatMap(one => one.channels).filter(one => one.declared).map(one => [text(one.name), one.declared]));
    const parts = [html("header", { class: "result-head" }, html("h2", {}, badge(result.verdict, result.checked ? result.verdict : "not checked"), " ", html("span", { class: "property" }, shortened(text(result.property), 160)), result.advice ? html("span", { class: "advice" }, "advice") : null), html("p", { class: "sentence" }, prose(text(result.sentence))))];
    if (this.run) {
      this.place = html("div", { class: "violation-place" }, this.violation(data, source, bounds, onPlace));
      if (this.runs.length > 1) parts.push(this.chooser(result.failures, run => { this.run = run; this.place.replaceChildren(this.violation(data, source, bounds, onPlace)); this.shown(); }));
      parts.push(this.place);
    }
    const whole = result.picture ? result : report.results.find(one => one.picture) ?? result;
    const panels = [picturePanel(whole.picture), boundsPanel(data, whole.channels.filter(one => one.declared !== 0), onPlace), cyclesPanel(data, result.cycles, onPlace), unreachedPanel(data, result.unreached, onPlace)];
    parts.push(...panels.filter(Boolean));
    if (result.notes.length) parts.push(html("section", { class: "panel" }, html("h3", {}, "What to do"), html("ul", {}, result.notes.map(note => html("li", {}, prose(text(note)))))));
    if (!this.run && panels.some((panel, n) => panel && n > 0)) { parts.push(source.element); this.source = source; }
    this.element = html("article", { class: "result" }, parts);
    this.places = whole.channels.map(one => one.place).concat(result.unreached.map(one => one[2])).filter(place => place !== null);
  }

  /** One button for each different failure. @param {number} failures @param {(run: Run) => void} onChoose */
  chooser(failures, onChoose) {
    const buttons = this.runs.map((run, index) => html("button", { type: "button", class: "failure", "aria-pressed": String(!index), onclick: () => {
      buttons.forEach((button, n) => button.setAttribute("aria-pressed", String(n === index)));
      onChoose(run);
    } }, html("b", {}, index + 1), " ", html("code", {}, this.failing(run)), html("span", { class: "hint" }, ` ${run.raw.when}`)));
    const rest = failures > this.runs.length ? html("p", { class: "hint" }, `and ${counted(failures - this.runs.length, "more failure")} without a run`) : null;
    return html("section", { class: "panel failures" }, html("h3", {}, counted(failures, "different failure")), html("div", { class: "failure-list" }, buttons), rest);
  }

  /** What fails in a run, in short: the statement, or where processes wait. @param {Run} run */
  failing(run) {
    const stuck = run.raw.stuck ? run.raw.waiting.filter(waits => !waits.done) : [];
    const line = waits => waits.place === null ? run.lanes[waits.lane] : `${run.lanes[waits.lane]} at line ${this.data.places[waits.place][1]}`;
    return shortened(stuck.length ? stuck.map(line).join(", ") : run.length ? run.label(run.length - 1) : run.text(run.raw.problem), 160);
  }

  violation(data, source, bounds, onPlace) {
    const { run } = this, step = stepPanel(data, run, onPlace), state = statePanel(run, bounds);
    this.chart = new Chart(run, current => {
      const at = current > 0 ? run.moves(current - 1).map(move => move.place) : [];
      const last = current === run.length && run.raw.place !== null;
      source.show(last ? [run.raw.place, ...at] : at.length ? at : [run.raw.place ?? -1], last ? "fault" : "mark");
      step.show(current);
      state.show(current);
      position.textContent = `${current} / ${run.length}`;
    });
    const go = (title, label, action) => html("button", { type: "button", title, "aria-label": title, onclick: () => { action(); this.chart.element.focus({ preventScroll: true }); } }, label);
    const position = html("span", { class: "position" });
    const { chart } = this;
    const bar = html("div", { class: "bar-of-chart" }, go("first state (Home)", "|◀", () => chart.select(0)), go("step back (↑)", "◀", () => chart.select(chart.current - 1)), go("step (↓)", "▶", () => chart.select(chart.current + 1)), go("end (End)", "▶|", () => chart.select(run.length)),
      run.loop !== null && run.loop < run.length ? go("the loop (l)", "⟲", () => chart.select(run.loop + 1, true)) : null, position);
    const keys = html("p", { class: "hint keys" }, html("kbd", {}, "↑"), html("kbd", {}, "↓"), " step ", html("kbd", {}, "←"), html("kbd", {}, "→"), " same process ", html("kbd", {}, "m"), " other end of the message ", run.loop !== null && run.loop < run.length ? [html("kbd", {}, "l"), " loop "] : null, html("kbd", {}, "Home"), html("kbd", {}, "End"));
    const code = run.raw.code;
    const problem = html("div", { class: "problem", role: "note" }, html("p", {}, html("b", {}, prose(run.text(run.raw.problem))), " ", placeLink(data, run.raw.place, onPlace)), html("p", { class: "hint" }, run.raw.when, code ? [" · ", html("code", {}, `highwater explain ${code}`)] : null,
      run.raw.gains.map(([name, gain]) => [" · each round adds ", html("b", {}, gain), " to ", html("code", {}, run.text(name))])));
    const waiting = waitingPanel(data, run, onPlace);
    const { stuck } = run.raw;
    return html("div", { class: "violation" }, problem, stuck ? waiting : null, html("div", { class: "split" }, html("div", { class: "middle" }, html("section", { class: "panel chart-panel" }, bar, chart.element, keys), stuck ? null : waiting), html("div", { class: "beside" }, step.element, source.element, state.elements)));
  }

  shown() {
    if (this.chart) this.chart.select(this.run.length, true);
    if (this.source) this.source.show(this.places.slice(0, 1), "mark");
  }
}

/** The folder of a file in small letters, then its name. @param {string} path */
function fileName(path) {
  const shown = shortened(path, 160), at = shown.lastIndexOf("/") + 1;
  return [at ? html("span", { class: "folder" }, shown.slice(0, at)) : null, html("span", {}, shown.slice(at))];
}

class Page {
  constructor(data) {
    this.data = data;
    this.items = data.reports.flatMap(report => report.results.map(result => ({ report, result })));
    this.views = new Map();
    this.detail = html("main", { class: "detail", id: "detail", tabindex: "-1" });
    this.buttons = [];
    document.getElementById("page").replaceChildren(this.header(), html("div", { class: "body" }, html("nav", { class: "results", "aria-label": "results" }, data.reports.map(report => this.group(report))), this.detail), this.footer());
    document.addEventListener("keydown", event => this.key(event));
    const rank = ({ report, result }) => (result.advice ? 4 : 0) + ["violated", "inconclusive", "vacuous", "proved"].indexOf(result.verdict) + (report.results.length ? 0 : 9);
    const best = this.items.reduce((best, item, n) => best < 0 || rank(item) < rank(this.items[best]) ? n : best, -1);
    if (best >= 0) this.select(best, false);
    else if (data.reports.length) this.unreadable(data.reports[0]);
  }

  header() {
    const counts = {};
    for (const { result } of this.items) if (!result.advice) counts[result.verdict] = (counts[result.verdict] ?? 0) + 1;
    const chips = ["violated", "inconclusive", "vacuous", "proved"].filter(one => counts[one]).map(one => badge(one, `${counts[one]} ${one}`));
    const theme = html("button", { type: "button", class: "theme", title: "light or dark (t)", onclick: () => this.theme() }, "◐");
    return html("header", { class: "top" }, html("h1", {}, html("span", { class: "logo", "aria-hidden": "true" }), "Highwater"), html("span", { class: "chips" }, chips), theme);
  }

  footer() {
    return html("footer", {}, this.data.command ? html("p", {}, "made with ", html("code", { class: "command" }, this.data.command)) : null, html("p", {}, `Highwater ${this.data.version} · `, html("kbd", {}, "n"), " ", html("kbd", {}, "p"), " next and previous result · ", html("kbd", {}, "t"), " light or dark"));
  }

  group(report) {
    const { strings } = this.data;
    const buttons = report.results.map(result => {
      const index = this.buttons.length;
      const button = html("button", { type: "button", class: `item ${result.verdict}${result.advice ? " quiet" : ""}`, onclick: () => this.select(index, true) }, html("span", { class: "mark", "aria-hidden": "true" }, result.advice ? "•" : VERDICTS[result.verdict]), html("span", { class: "property" }, shortened(strings[result.property], 60)), html("span", { class: "verdict" }, result.checked ? result.verdict : "not checked"));
      this.buttons.push(button);
      return button;
    });
    const notes = report.diagnostics.length ? html("button", { type: "button", class: "item quiet", onclick: () => this.unreadable(report) }, html("span", { class: "mark" }, "!"), counted(report.diagnostics.length, "diagnostic")) : null;
    return html("section", {}, html("h2", { title: shortened(strings[report.file], 300) }, fileName(strings[report.file])), html("p", { class: "about" }, report.about, report.time ? ` · ${report.time}` : ""), buttons, notes);
  }

  unreadable(report) {
    const source = new SourceView(this.data);
    const panel = diagnosticsPanel(this.data, report.diagnostics, place => source.show([place], "fault"));
    this.detail.replaceChildren(html("article", { class: "result" }, html("h2", {}, fileName(this.data.strings[report.file])), panel ?? html("p", {}, "nothing to check"), source.element));
    const first = report.diagnostics.find(one => one.place !== null);
    if (first) source.show([first.place], "fault");
  }

  select(index, focus) {
    this.current = index;
    const { report, result } = this.items[index];
    if (!this.views.has(index)) this.views.set(index, new ResultView(this.data, report, result));
    const view = this.views.get(index);
    this.buttons.forEach((button, n) => n === index ? button.setAttribute("aria-current", "true") : button.removeAttribute("aria-current"));
    this.detail.replaceChildren(view.element);
    view.shown();
    if (focus) (view.chart?.element ?? this.detail).focus({ preventScroll: true });
  }

  theme() {
    const root = document.documentElement, dark = getComputedStyle(root).colorScheme === "dark" || (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "light" : "dark";
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.items.length) return;
    if (event.key === "n") this.select((this.current + 1) % this.items.length, true);
    else if (event.key === "p") this.select((this.current + this.items.length - 1) % this.items.length, true);
    else if (event.key === "t") this.theme();
    else if (event.target === document.body) this.views.get(this.current)?.chart?.key(event);
  }
}

const page = document.getElementById("data");
if (page) new Page(JSON.parse(page.textContent));
