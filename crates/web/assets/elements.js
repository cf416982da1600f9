// Elements and texts. No text of a model becomes markup: it is only ever the text of a node, or the value of an attribute.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Characters that reorder, hide or break text are shown by their number.
 * @param {string} text
 */
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    c => "⟨" + c.charCodeAt(0).toString(16).padStart(4, "0") + "⟩");
}

/** @param {string} text @param {number} length */
function shortened(text, length) {
  const shown = visible(text);
  return shown.length > length ? shown.slice(0, length - 1) + "…" : shown;
}

/** @param {Element} element @param {Record<string, any>} attributes */
function adorn(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) /** @type {any} */ (element).style.setProperty(key, one);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}

/**
 * An element of HTML; children that are no elements are text.
 * @param {string} name @param {Record<string, any>} [attributes] @param {any[]} children
 * @returns {any}
 */
function html(name, attributes = {}, ...children) {
  const element = adorn(document.createElement(name), attributes);
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : visible(String(child)));
  }
  return element;
}

/** @param {string} name @param {Record<string, any>} attributes @param {any[]} children @returns {any} */
function svg(name, attributes = {}, ...children) {
  const element = adorn(document.createElementNS(SVG, name), attributes);
  for (const child of children.flat(2)) {
    if (child !== null && child !== false) element.append(child instanceof Node ? child : visible(String(child)));
  }
  return element;
}

/**
 * Gives an element a child for each item. A child of the same kind that is there already stays: most of a state does not change.
 * @template T @param {any} parent @param {T[]} items @param {(item: T) => any} kind all that the child depends on @param {(item: T) => any} make
 */
function renew(parent, items, kind, make) {
  const old = parent.kinds ?? new Map(), kinds = new Map();
  const children = items.map(item => {
    let name = JSON.stringify(kind(item));
    while (kinds.has(name)) name += "+";
    const child = old.get(name) ?? make(item);
    kinds.set(name, child);
    return child;
  });
  parent.kinds = kinds;
  const kept = new Set(children);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) child.remove();
  children.forEach((child, index) => { if (parent.childNodes[index] !== child) parent.insertBefore(child, parent.childNodes[index] ?? null); });
}

/** What stands between backticks is code. @param {string} text */
function prose(text) {
  return text.split("`").map((part, position) => position % 2 ? html("code", {}, part) : part);
}

/** @param {number} count @param {string} one @param {string} [many] */
function counted(count, one, many = one + "s") {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f") + " " + (count === 1 ? one : many);
}

const VERDICTS = { proved: "✔", violated: "✘", inconclusive: "?", vacuous: "○" };

/** @param {string} verdict */
function badge(verdict, text = verdict) {
  return html("span", { class: `badge ${verdict}` }, html("span", { "aria-hidden": "true" }, VERDICTS[verdict] ?? "–"), " ", text);
}

/** The colour of a lane. @param {number} lane */
function laneColor(lane) {
  return `var(--lane-${lane % 8})`;
}
