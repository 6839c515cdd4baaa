// A list of rows of one height, of which only the visible ones are elements.
import { element, set, sync } from 'doorway/dom.js';

const spare = 6; // rows above and below the visible ones

/**
 * Makes a list in parent. pick(index) is called when a row is chosen by a click or by the arrow keys, go(index)
 * on a double click or Enter; make() makes a row and fill(row, index) writes it.
 */
export function makeRows(parent, { name, high, pick, go, make, fill, head }) {
  const l = { high, pick, go, make, fill, count: 0, chosen: -1, follows: true };
  l.list = element('div', { class: 'rows-list', role: 'listbox', 'aria-label': name, keydown: (e) => keys(l, e) });
  l.scroller = element('div', { class: 'rows-scroller', tabindex: 0, role: 'region', 'aria-label': name + ', scrolls', scroll: () => scrolled(l) }, ...(head ? [head] : []), l.list);
  l.head = head;
  parent.append(l.scroller);
  new ResizeObserver(() => {
    if (l.follows) l.scroller.scrollTop = l.scroller.scrollHeight;
    draw(l);
  }).observe(l.scroller);
  return { update: (count, chosen, anew) => update(l, count, chosen, anew), scroller: l.scroller };
}

function update(l, count, chosen, anew) {
  if (anew) l.follows = true;
  const moved = chosen !== l.chosen;
  const grown = count !== l.count;
  Object.assign(l, { count, chosen });
  set(l.list, { style: `height:${count * l.high}px`, tabindex: null });
  if (grown && l.follows) l.scroller.scrollTop = l.scroller.scrollHeight;
  if (moved && chosen >= 0) reveal(l, chosen);
  draw(l);
}

function reveal(l, index) {
  const s = l.scroller;
  const room = s.clientHeight - (l.head?.offsetHeight ?? 0);
  if (index * l.high < s.scrollTop) s.scrollTop = Math.max(0, index * l.high - room / 3);
  else if ((index + 1) * l.high > s.scrollTop + room) s.scrollTop = (index + 1) * l.high - (2 * room) / 3;
}

function scrolled(l) {
  const s = l.scroller;
  l.follows = s.scrollTop + s.clientHeight > s.scrollHeight - l.high;
  l.waits ||= requestAnimationFrame(() => {
    l.waits = 0;
    draw(l);
  });
}

function draw(l) {
  const top = Math.max(0, Math.floor(l.scroller.scrollTop / l.high) - spare);
  const end = Math.min(l.count, top + Math.ceil(l.scroller.clientHeight / l.high) + 2 * spare);
  const shown = Array.from({ length: Math.max(0, end - top) }, (_, i) => top + i);
  const focusable = shown.includes(l.chosen) ? l.chosen : end - 1;
  sync(l.list, shown, (i) => i, (i) => set(l.make(), { role: 'option', 'data-row': i, click: () => l.pick(i), dblclick: () => l.go(i) }), (row, i) => {
    set(row, { style: `top:${i * l.high}px;height:${l.high}px`, tabindex: i === focusable ? 0 : -1, 'aria-selected': String(i === l.chosen), 'aria-posinset': i + 1, 'aria-setsize': l.count });
    l.fill(row, i);
  });
}

function keys(l, e) {
  const row = Number(e.target.closest('[data-row]')?.dataset.row ?? -1);
  if (row < 0 || e.ctrlKey || e.altKey || e.metaKey) return;
  const next = { ArrowUp: row - 1, ArrowDown: row + 1, Home: 0, End: l.count - 1, PageUp: row - 10, PageDown: row + 10 }[e.key];
  if (e.key === 'Enter') l.go(row);
  else if (e.key === ' ') l.pick(row);
  else if (next === undefined) return;
  else focus(l, Math.max(0, Math.min(l.count - 1, next)));
  e.preventDefault();
  e.stopPropagation();
}

function focus(l, index) {
  reveal(l, index);
  l.pick(index);
  draw(l);
  l.list.querySelector(`[data-row="${index}"]`)?.focus({ preventScroll: true });
}
