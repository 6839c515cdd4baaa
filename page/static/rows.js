// Long pictures in rows of one height, of which only the visible ones are elements; and the events as such a list.
import {element, set, sync} from 'doorway/dom.js';
import {eventOf, historyOf, phaseLetter, phaseMeaning, selection} from 'doorway/history.js';

const spare = 5; // rows above and below the visible ones

/**
 * Watches a scroller of rows below a head that stays; draw is called when other rows are visible. It follows the end, until it is
 * scrolled back.
 */
export function makeScroll(scroller, head, high, draw) {
  const s = {follows: true, frame: 0};
  const redraw = () => {
    if (scroller.clientHeight > 0) draw(); // else it is hidden, maybe as the run is one of another kind
  };
  const follow = () => {
    if (s.follows) scroller.scrollTop = scroller.scrollHeight;
  };
  scroller.onscroll = () => {
    s.follows = scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - high;
    s.frame ||= requestAnimationFrame(() => {
      s.frame = 0;
      redraw();
    });
  };
  new ResizeObserver(() => {
    follow();
    redraw();
  }).observe(scroller);
  return {
    /** Scrolls to the end if it was there before; anew: in any case. */
    follow(anew) {
      s.follows ||= anew;
      follow();
    },

    /** Scrolls to a row, if it is not to be seen. */
    reveal(row) {
      const top = scroller.scrollTop;
      const room = scroller.clientHeight - (head?.offsetHeight ?? 0);
      const above = row * high < top;
      if (!above && (row + 1) * high <= top + room) return;
      scroller.scrollTop = above ? Math.max(0, row * high - room / 3) : (row + 1) * high - (2 * room) / 3;
      s.follows = false; // until it is known whether this is the end
    },

    /** The first row to draw of so many, and the one after the last. */
    visible(count) {
      follow(); // it may have come into sight
      const top = Math.max(0, Math.floor(scroller.scrollTop / high) - spare);
      return [top, Math.min(count, top + Math.ceil(scroller.clientHeight / high) + 2 * spare)];
    },
  };
}

/** The row to which a key leads from another; undefined: it is none of these keys. */
export function rowByKey(key, row, count) {
  const to = {ArrowUp: row - 1, ArrowDown: row + 1, Home: 0, End: count - 1, PageUp: row - 10, PageDown: row + 10}[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

/**
 * Makes the line below a picture: what its letters and tints mean, and the way back to what is selected. Of the phases,
 * always are explained from the start, and others when there was one.
 * What it returns, update(model, history), brings it up to date.
 */
export function makeFoot(root, act, always = [], others = []) {
  const make = (phase) => element('li', {title: phaseMeaning(phase)},
    element('b', {class: 'phase-' + phase}, phaseLetter(phase) || 'R'), phase === 'two' ? ' two inside' : ' ' + phase);
  const later = others.map((phase) => ({phase, item: make(phase)}));
  const items = [...always.map(make), ...later.map(({item}) => item)];
  const legend = element('ul', {class: 'foot-legend', 'aria-label': 'Letters', hidden: items.length === 0}, ...items);
  const back = element('button', {type: 'button'}, 'Go back to here');
  root.append(element('div', {class: 'foot'}, legend, back));
  return (model, history) => {
    for (const {phase, item} of later) item.hidden = !history.seen.has(phase);
    const event = eventOf(history, selection(model).event);
    const goes = event && event.choice < model.view.made;
    set(back, {
      class: goes ? 'foot-back' : 'foot-back gone', // its room stays, so that nothing moves below the pointer
      title: goes ? 'after ' + event.text : null,
      click: () => {
        act.to(event.choice);
        root.querySelector('[tabindex="0"]')?.focus({preventScroll: true}); // as the button goes
      },
    });
  };
}

/**
 * Makes a list of the events in root, below head if there is one; none says that there are none. A click or the arrow keys select
 * an event, a double click or Enter goes back to it. make() makes a row and fill(row, event, index) writes it. Of the
 * phases, the line below the list explains always and later as makeFoot does. What it returns, update(model), brings it up to date.
 */
export function makeEvents(root, act, {name, none, high, head, always, later, make, fill}) {
  const l = {act, high, make, fill, events: [], chosen: -1};
  l.list = element('div', {class: 'rows-list', role: 'listbox', 'aria-label': name, keydown: (e) => keys(l, e)});
  l.empty = element('p', {class: 'pictures-empty'}, none);
  l.scroller = element('div', {class: 'rows-scroller', tabindex: 0, role: 'region', 'aria-label': name + ', scrolls'},
    ...(head ? [head] : []), l.list);
  l.scroll = makeScroll(l.scroller, head, high, () => draw(l));
  root.append(l.scroller, l.empty);
  l.foot = makeFoot(root, act, always, later);
  return (model) => update(l, model);
}

function update(l, model) {
  const history = historyOf(model);
  const {event, reveals} = selection(model);
  const anew = history.key !== l.key;
  const grown = anew || history.events.length !== l.count;
  const moved = event - 1 !== l.chosen;
  Object.assign(l, {key: history.key, events: history.events, count: history.events.length, chosen: event - 1});
  set(l.list, {style: `height:${l.count * l.high}px`});
  l.empty.hidden = l.count > 0;
  if (grown) l.scroll.follow(anew);
  if (moved && reveals) l.scroll.reveal(l.chosen);
  draw(l);
  l.foot(model, history);
}

function draw(l) {
  const [top, end] = l.scroll.visible(l.events.length);
  const shown = Array.from({length: Math.max(0, end - top)}, (_, i) => top + i);
  const focusable = shown.includes(l.chosen) ? l.chosen : end - 1;
  const focused = l.list.contains(document.activeElement);
  const make = (i) => set(l.make(), {role: 'option', 'data-row': i, click: () => pick(l, i), dblclick: () => go(l, i)});
  sync(l.list, shown, (i) => i, make, (row, i) => {
    set(row, {
      style: `top:${i * l.high}px;height:${l.high}px`,
      tabindex: i === focusable ? 0 : -1,
      'aria-selected': String(i === l.chosen),
      'aria-posinset': i + 1,
      'aria-setsize': l.events.length,
    });
    l.fill(row, l.events[i], i);
  });
  if (focused && !l.list.contains(document.activeElement)) { // its row was scrolled out of sight
    l.list.querySelector('[tabindex="0"]')?.focus({preventScroll: true});
  }
}

function pick(l, i) {
  l.act.select({event: l.events[i].number});
}

function go(l, i) {
  l.act.to(l.events[i].choice);
}

function keys(l, e) {
  const row = Number(e.target.closest('[data-row]')?.dataset.row ?? -1);
  if (row < 0 || e.ctrlKey || e.altKey || e.metaKey) return;
  const to = rowByKey(e.key, row, l.events.length);
  if (e.key === 'Enter') go(l, row);
  else if (e.key === ' ') pick(l, row);
  else if (to === undefined) return;
  else focus(l, to);
  e.preventDefault();
  e.stopPropagation();
}

/** Selects an event, and gives it the focus. */
function focus(l, index) {
  l.scroll.reveal(index);
  pick(l, index);
  draw(l);
  l.list.querySelector(`[data-row="${index}"]`)?.focus({preventScroll: true});
}
