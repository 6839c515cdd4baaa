// A list of rows of one height, of which only the visible ones are elements.
import {element, set, sync} from 'doorway/dom.js';
import {makeScroll, rowByKey} from 'doorway/scroll.js';

/**
 * Makes a list in parent, below head if there is one. pick(index) is called when a row is chosen by a click or by the
 * arrow keys, go(index) on a double click or Enter; make() makes a row and fill(row, index) writes it.
 */
export function makeRows(parent, {name, high, head, pick, go, make, fill}) {
  const l = {high, pick, go, make, fill, count: 0, chosen: -1};
  l.list = element('div', {class: 'rows-list', role: 'listbox', 'aria-label': name, keydown: (e) => keys(l, e)});
  l.scroller = element('div', {class: 'rows-scroller', tabindex: 0, role: 'region', 'aria-label': name + ', scrolls'},
    ...(head ? [head] : []), l.list);
  l.scroll = makeScroll(l.scroller, head, high, () => draw(l));
  parent.append(l.scroller);
  return {scroller: l.scroller, update: (count, chosen, options) => update(l, count, chosen, options)};
}

/** Shows so many rows. anew: of another run; reveals: the chosen row is to be seen. */
function update(l, count, chosen, {anew, reveals}) {
  const [moved, grown] = [chosen !== l.chosen, anew || count !== l.count];
  Object.assign(l, {count, chosen});
  set(l.list, {style: `height:${count * l.high}px`});
  if (grown) l.scroll.follow(anew);
  if (moved && reveals && chosen >= 0) l.scroll.reveal(chosen);
  draw(l);
}

function draw(l) {
  const [top, end] = l.scroll.visible(l.count);
  const shown = Array.from({length: Math.max(0, end - top)}, (_, i) => top + i);
  const focusable = shown.includes(l.chosen) ? l.chosen : end - 1;
  const focused = l.list.contains(document.activeElement);
  const make = (i) => set(l.make(), {role: 'option', 'data-row': i, click: () => l.pick(i), dblclick: () => l.go(i)});
  sync(l.list, shown, (i) => i, make, (row, i) => {
    set(row, {
      style: `top:${i * l.high}px;height:${l.high}px`,
      tabindex: i === focusable ? 0 : -1,
      'aria-selected': String(i === l.chosen),
      'aria-posinset': i + 1,
      'aria-setsize': l.count,
    });
    l.fill(row, i);
  });
  if (focused && !l.list.contains(document.activeElement)) { // its row was scrolled out of sight
    l.list.querySelector('[tabindex="0"]')?.focus({preventScroll: true});
  }
}

function keys(l, e) {
  const row = Number(e.target.closest('[data-row]')?.dataset.row ?? -1);
  if (row < 0 || e.ctrlKey || e.altKey || e.metaKey) return;
  const to = rowByKey(e.key, row, l.count);
  if (e.key === 'Enter') l.go(row);
  else if (e.key === ' ') l.pick(row);
  else if (to === undefined) return;
  else focus(l, to);
  e.preventDefault();
  e.stopPropagation();
}

/** Chooses a row, and gives it the focus. */
function focus(l, index) {
  l.scroll.reveal(index);
  l.pick(index);
  draw(l);
  l.list.querySelector(`[data-row="${index}"]`)?.focus({preventScroll: true});
}
