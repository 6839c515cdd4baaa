// Elements, made once and then changed in place: what has the focus keeps it, and a step costs what it changes.
// Text is set by textContent and by attributes, never parsed as HTML: a run cannot bring markup.

const svgSpace = 'http://www.w3.org/2000/svg';

/** The element of the page with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Makes an HTML element with attributes and children: elements or texts. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  set(made, attributes);
  made.append(...children);
  return made;
}

/** Makes an SVG element with attributes and children. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(svgSpace, tag);
  set(made, attributes);
  made.append(...children);
  return made;
}

/**
 * Sets the attributes that differ: null and false remove one, true sets it empty. A function is a handler:
 * its name is that of the event ("click"), and it replaces the one before.
 */
export function set(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      target['on' + name] = value;
    } else if (value === null || value === undefined || value === false) {
      if (target.hasAttribute(name)) target.removeAttribute(name);
    } else {
      const text = value === true ? '' : String(value);
      if (target.getAttribute(name) !== text) target.setAttribute(name, text);
    }
  }
  return target;
}

/** Sets the text of an element without children, if it differs. */
export function setText(target, text) {
  text = text === undefined || text === null ? '' : String(text);
  if (target.textContent !== text) target.textContent = text;
  return target;
}

/** The children that sync made, by their keys, for each parent. */
const made = new WeakMap();

/**
 * Makes the children of parent be those of items, in their order, each known by its key: new ones are made by
 * make(item, index), all are brought up to date by update(child, item, index), those without an item are removed.
 * A child that stays is moved only if the order changed, as moving takes the focus from it.
 * Other children of parent, which sync did not make, stay in front.
 */
export function sync(parent, items, key, make, update = () => {}) {
  const old = made.get(parent) ?? new Map();
  const now = new Map();
  items.forEach((item, index) => {
    const name = key(item, index);
    if (now.has(name)) {
      console.error(`sync: two items have the key ${name}; the second is left out`); // a test fails by it
      return;
    }
    const child = old.get(name) ?? make(item, index);
    update(child, item, index);
    now.set(name, child);
  });
  for (const [name, child] of old) {
    if (!now.has(name)) child.remove();
  }
  place(parent, [...now.values()]);
  made.set(parent, now);
}

/** Puts children at the end of parent, in this order. */
function place(parent, children) {
  let next = null;
  for (let i = children.length - 1; i >= 0; i--) {
    const child = children[i];
    if (child.parentNode !== parent || child.nextSibling !== next) parent.insertBefore(child, next);
    next = child;
  }
}
