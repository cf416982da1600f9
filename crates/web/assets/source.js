// The text of a model, with the statement of the current step.

const LINE = 20;

class SourceView {
  /** @param {any} data */
  constructor(data) {
    this.data = data;
    this.file = -1;
    /** @type {number[]} */
    this.marked = [];
    this.title = html("h3", {}, "Source");
    this.lines = html("div", { class: "lines" });
    this.body = html("div", { class: "source", tabindex: "0", role: "region", "aria-label": "source", onscroll: () => this.draw() }, this.lines);
    this.element = html("section", { class: "panel source-panel" }, this.title, this.body);
    this.texts = new Map();
  }

  /** @param {number} file @returns {string[]} */
  text(file) {
    if (!this.texts.has(file)) {
      const text = this.data.files[file].text;
      this.texts.set(file, text === null ? ["(this file is too long to be part of the page)"] : text.split(/\r?\n/));
    }
    return this.texts.get(file);
  }

  /** Shows the first of these places, and marks all that are in its file. @param {number[]} places @param {string} kind */
  show(places, kind) {
    this.marked = places.filter(place => place >= 0);
    this.kind = kind;
    const first = this.data.places[this.marked[0]];
    if (!first) { this.draw(); return; }
    const [file, line] = first;
    const { name, place } = this.data.files[file];
    this.file = file;
    this.title.textContent = visible(place ? name : `${name}:${line}`);
    this.lines.style.height = `${this.text(file).length * LINE + 8}px`;
    const top = (line - 1) * LINE, height = this.body.clientHeight || 200;
    if (top < this.body.scrollTop + LINE || top > this.body.scrollTop + height - 3 * LINE) this.body.scrollTop = top - height / 2 + LINE;
    this.draw();
  }

  draw() {
    if (this.file < 0) return;
    const lines = this.text(this.file);
    const first = Math.max(0, Math.floor(this.body.scrollTop / LINE) - 10);
    const last = Math.min(lines.length, first + Math.ceil((this.body.clientHeight || 300) / LINE) + 20);
    const rows = [];
    for (let index = first; index < last; index++) rows.push(this.line(lines[index], index + 1));
    this.lines.replaceChildren(...rows);
  }

  /** @param {string} text @param {number} number */
  line(text, number) {
    const spans = this.marked.map(id => this.data.places[id]).filter(([file, from, , to]) => file === this.file && from <= number && number <= to);
    const cut = text.length > 400 ? text.slice(0, 400) + "…" : text;
    const parts = [];
    const characters = Array.from(cut);
    let done = 0;
    for (const span of spans.sort((a, b) => a[2] - b[2])) {
      const [, from, column, to, end] = span;
      const start = Math.max(done, from === number ? column - 1 : characters.length - characters.join("").trimStart().length);
      const stop = to === number ? Math.max(end - 1, start + 1) : characters.length;
      if (start >= characters.length || (to === number && end - 1 <= done)) continue;
      parts.push(...highlighted(characters.slice(done, start).join("")), html("mark", { class: span === this.data.places[this.marked[0]] ? this.kind : "mark" }, characters.slice(start, stop).join("")));
      done = stop;
    }
    parts.push(...highlighted(characters.slice(done).join("")));
    return html("div", { class: spans.length ? "line now" : "line", style: { top: `${(number - 1) * LINE + 4}px` }, "data-line": number },
      html("span", { class: "line-number", "aria-hidden": "true" }, number), html("code", {}, parts));
  }
}

const WORDS = /(\/\*.*?\*\/|\/\/.*$)|("(?:[^"\\]|\\.)*")|\b(active|proctype|chan|mtype|init|do|od|if|fi|atomic|d_step|else|goto|break|assert|skip|run|byte|bool|bit|int|short|unsigned|of|inline|never|ltl|typedef|timeout|for|in|select|hidden|local|provided|unless|return|while|void|char|long|const|struct|static|extern|case|switch|default)\b|\b(\d+)\b/g;

/** Comments, strings, words and numbers. @param {string} text */
function highlighted(text) {
  const parts = [];
  let done = 0;
  for (const match of text.matchAll(WORDS)) {
    const kind = match[1] ? "comment" : match[2] ? "string" : match[3] ? "word" : "number";
    if (match.index > done) parts.push(text.slice(done, match.index));
    parts.push(html("span", { class: `t-${kind}` }, match[0]));
    done = match.index + match[0].length;
  }
  if (done < text.length) parts.push(text.slice(done));
  return parts;
}
