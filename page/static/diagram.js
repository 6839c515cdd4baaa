// The space-time diagram: a line for each member, time downwards, a row for what one member does at once. Only the rows
// that are visible are elements.
import {element, set, setText, svg, sync} from 'doorway/dom.js';
import {
  causes, classes, eventOf, historyOf, kindClass, messagesIn, phaseLetter, phaseMeaning, phaseOf, rowOf, selection,
  spansIn,
} from 'doorway/history.js';
import {makeFoot, makeScroll, rowByKey} from 'doorway/rows.js';

const high = 24; // of a row
const left = 34; // of the lines: the times stand there
const right = 8;
const letter = 7.2; // wide

export function make(root, act) {
  const d = {act, model: null};
  d.names = element('div', {class: 'diagram-names'});
  d.layers = {};
  for (const name of ['band', 'lines', 'spans', 'why', 'arrows', 'times', 'dots', 'labels']) {
    d.layers[name] = svg('g', {class: 'diagram-' + name, 'aria-hidden': name === 'dots' ? null : 'true'});
  }
  set(d.layers.dots, {role: 'group', 'aria-label': 'Events'});
  d.svg = svg('svg',
    {class: 'diagram-svg', role: 'group', 'aria-label': 'Space-time diagram', keydown: (e) => keys(d, e)},
    arrowheads(), ...Object.values(d.layers));
  d.empty = element('p', {class: 'pictures-empty'}, 'No event yet: make a choice.');
  d.scroller = element('div',
    {class: 'diagram-scroller', tabindex: 0, role: 'region', 'aria-label': 'Space-time diagram, scrolls'},
    d.names, d.empty, d.svg);
  root.append(d.scroller);
  d.foot = makeFoot(root, act, [], ['waiting', 'inside', 'absorbing', 'crashed', 'two']);
  d.scroll = makeScroll(d.scroller, d.names, high, () => d.model && draw(d));
  return {update: (model) => update(d, model)};
}

function arrowheads() {
  const size = {viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse'};
  const path = () => svg('path', {d: 'M0,0.5 L8,4 L0,7.5 z'});
  const head = (id) => svg('marker', {id, class: id, orient: 'auto', ...size}, path());
  return svg('defs', {}, head('arrow'), head('arrow-chosen'), head('arrow-why'));
}

function update(d, model) {
  const history = historyOf(model);
  const chosen = selection(model);
  const anew = history.key !== d.history?.key;
  const grown = anew || history.rows.length !== d.count;
  const moved = chosen.event !== d.chosen?.event;
  Object.assign(d, {model, history, chosen, count: history.rows.length, chain: causes(history, chosen.event)});
  d.empty.hidden = d.count > 0;
  d.svg.classList.toggle('bare', d.count === 0);
  resize(d);
  if (grown) d.scroll.follow(anew);
  if (moved && chosen.reveals && chosen.event) d.scroll.reveal(rowOf(history, chosen.event));
  draw(d);
  d.foot(model, history);
}

function resize(d) {
  const width = d.scroller.clientWidth || 320;
  const height = d.count * high + high;
  const between = Math.max(22, (width - left - right) / d.model.view.members.length);
  if (width === d.width && height === d.height && between === d.between) return;
  Object.assign(d, {width, height, between});
  set(d.svg, {width: Math.max(width, left + between * d.model.view.members.length), height});
}

function x(d, member) {
  return Math.round(left + d.between * (member + 0.5));
}

function y(row) {
  return row * high + high / 2;
}

function draw(d) {
  resize(d);
  const [top, end] = d.scroll.visible(d.count);
  drawNames(d);
  drawSpans(d, top, end - 1);
  drawArrows(d, messagesIn(d.history, top, end - 1));
  drawWhy(d, top, end - 1);
  drawRows(d, d.history.rows.slice(top, end));
}

function drawNames(d) {
  const wide = Math.min(d.between, 56);
  const make = (_, i) => element('button', {type: 'button', click: () => d.act.select({member: i})});
  sync(d.names, d.model.view.members, (_, i) => i, make, (button, m, i) => {
    const phase = phaseOf(m);
    const letters = d.between > 26 + 7 * m.name.length ? ' ' + phaseLetter(phase) : '';
    setText(button, (m.name + letters).trim());
    set(button, {
      class: 'diagram-name phase-' + phase,
      style: `left:${x(d, i) - wide / 2}px;width:${wide}px`,
      'aria-pressed': String(d.chosen.member === i),
      title: phase ? phaseMeaning(phase) : null,
    });
  });
}

function drawSpans(d, top, bottom) {
  const {members} = d.model.view;
  const line = () => svg('line', {y1: 0});
  sync(d.layers.lines, members, (_, i) => i, line, (l, _, i) => set(l, {x1: x(d, i), x2: x(d, i), y2: d.height}));
  const spans = members.flatMap((_, member) => spansIn(d.history, member, top, bottom).map((s) => ({...s, member})));
  const visible = spans.filter((s) => s.phase);
  sync(d.layers.spans, visible, (s) => s.member + '.' + s.from, () => svg('rect', {rx: 2}), (rect, s) => {
    const width = {inside: 12, crashed: 5}[s.phase] ?? 6;
    const height = Math.max(2, y(s.to ?? d.count - 0.5) - y(s.from));
    set(rect, {class: 'span-' + s.phase, x: x(d, s.member) - width / 2, y: y(s.from), width, height});
  });
}

function drawArrows(d, messages) {
  const make = () => svg('g', {}, svg('path'), svg('text'));
  sync(d.layers.arrows, messages, (m) => m.number, make, (g, m) => {
    const chosen = d.chain.includes(m.number);
    const way = m.lost ? 'lost' : m.end === undefined ? 'open' : 'done';
    const {from, to} = ends(d, m, way);
    const kind = kindClass(d.model.run, m.event.kind);
    set(g, {
      class: classes('arrow', 'arrow-' + way, kind, chosen && 'chosen', m.copy && 'copy'),
      click: () => d.act.select({event: m.number}),
    });
    set(g.firstChild, {
      d: `M${from.x},${from.y} L${to.x.toFixed(1)},${to.y.toFixed(1)}`,
      'marker-end': way === 'done' ? `url(#arrow${chosen ? '-chosen' : ''})` : null,
    });
    setText(g.lastChild, {lost: '✕', open: '○', done: ''}[way]);
    set(g.lastChild, {x: to.x.toFixed(1), y: (to.y + 4).toFixed(1)});
  });
}

/** Where a message begins and ends: one that is in transit is a stub, one that is lost ends halfway. */
function ends(d, m, way) {
  const from = {x: x(d, m.event.from), y: y(m.row)};
  const across = x(d, m.event.to) - from.x;
  switch (way) {
    case 'open': return {from, to: {x: from.x + Math.max(-36, Math.min(36, across * 0.4)), y: y(m.row + 0.75)}};
    case 'lost': return {from, to: {x: from.x + across / 2, y: y(m.end)}};
    default: return {from, to: {x: from.x + across - 7 * Math.sign(across), y: y(m.end)}};
  }
}

/** The way from the selected event to what caused it, as far as it is visible. */
function drawWhy(d, top, bottom) {
  const links = d.chain.slice(1).map((number, i) => {
    const [from, to] = [eventOf(d.history, number), eventOf(d.history, d.chain[i])];
    return {from: from.member, to: to.member, number, a: rowOf(d.history, from.number), b: rowOf(d.history, to.number)};
  });
  const visible = links.filter((l) => l.a !== l.b && l.b >= top && l.a <= bottom);
  sync(d.layers.why, visible, (l) => l.number, () => svg('path', {'marker-end': 'url(#arrow-why)'}), (path, l) => {
    set(path, {d: `M${x(d, l.from)},${y(l.a)} L${x(d, l.to)},${y(l.b) - (l.from === l.to ? 6 : 0)}`});
  });
}

function drawRows(d, rows) {
  const chosen = rowOf(d.history, d.chosen.event);
  const band = () => svg('rect', {x: 0, width: '100%', height: high});
  const time = () => svg('text', {x: left - 6});
  sync(d.layers.band, rows.filter((r) => r.two || r.row === chosen), (r) => r.row, band, (rect, r) => {
    set(rect, {y: r.row * high, class: classes(r.two && 'two', r.row === chosen && 'chosen')});
  });
  sync(d.layers.times, rows.filter((r) => timed(d, r)), (r) => r.row, time, (text, r) => {
    setText(text, String(Math.round(first(d, r).at * 10) / 10));
    set(text, {y: y(r.row) + 4});
  });
  drawDots(d, rows, chosen);
  const labelled = rows.filter((r) => r.two || label(d, r));
  sync(d.layers.labels, labelled, (r) => r.row, () => svg('text'), (text, r) => drawLabel(d, text, r));
}

/** The first event of a row. */
function first(d, r) {
  return d.history.events[r.first];
}

/** Reports whether the time stands beside a row: it is another than that of the row before. */
function timed(d, r) {
  return r.row === 0 || first(d, r).at !== first(d, d.history.rows[r.row - 1]).at;
}

/** The events, as buttons, of which the Tab key reaches one: that which is selected, or the last. */
function drawDots(d, rows, chosen) {
  const focusable = rows.some((r) => r.row === chosen) ? chosen : rows.at(-1)?.row;
  sync(d.layers.dots, rows, (r) => r.row, ({row}) => makeDot(d, row), (g, r) => {
    const kind = mark(first(d, r));
    set(g, {
      class: 'dot dot-' + kind,
      tabindex: r.row === focusable ? 0 : -1,
      'aria-label': words(d, r),
      'aria-pressed': String(r.row === chosen),
      'data-row': r.row,
    });
    set(g.firstChild, {x: x(d, r.member) - 12, y: r.row * high, width: 24, height: high});
    set(g.lastChild, {d: shape(kind, x(d, r.member), y(r.row))});
  });
}

function makeDot(d, row) {
  const select = () => d.act.select({event: first(d, d.history.rows[row]).number});
  return svg('g', {role: 'button', click: select, dblclick: () => goTo(d, row)},
    svg('rect', {class: 'dot-target'}), svg('path'));
}

/** What a row says: its first event, and the entry that follows from it. */
function words(d, r) {
  const events = d.history.events.slice(r.first, r.last + 1);
  const enters = events.length > 1 && events.some((e) => e.entry);
  return events[0].text + (enters ? ', and enters' : '') + (r.two ? ': two are inside' : '');
}

const labels = {
  requested: 'asks', entered: 'enters', left: 'leaves', duplicated: 'doubled', expired: 'timer', sent: '',
};

/** The message that arrives in a row, as long as there is room for; or what happens if none does. */
function label(d, r) {
  const {action, kind, text} = first(d, r);
  if (action !== 'delivered') return labels[action] ?? action;
  const number = /[(,:](-|S?\d+)[,)]/.exec(text)?.[1] ?? ''; // the first stamp, node or number
  const brief = `${beginning(d.model.run.kinds ?? [], kind)} ${number}`.trim();
  return [brief, kind].find((label) => label.length * letter < d.between * 1.3) ?? kind.slice(0, 3);
}

/** The shortest beginning of a kind of message, of at least three letters, that tells it from the others. */
function beginning(kinds, kind) {
  let n = 3;
  while (n < kind.length && kinds.some((other) => other !== kind && other.startsWith(kind.slice(0, n)))) n++;
  return kind.slice(0, n);
}

/** A label stands beyond its member, where the message does not come from, or on the other side if there is no room. */
function drawLabel(d, text, r) {
  const {action, from, to} = first(d, r);
  const at = x(d, r.member);
  setText(text, (r.two ? '‼ ' : '') + label(d, r));
  const wide = text.textContent.length * letter + 12;
  const beyond = action === 'delivered' && from > to;
  const toLeft = beyond ? at - wide > (timed(d, r) ? left : 0) : d.width - at < wide;
  set(text, {x: at + (toLeft ? -12 : 12), y: y(r.row) + 4, 'text-anchor': toLeft ? 'end' : 'start'});
}

const marks = {
  requested: 'ask', restarted: 'ask', entered: 'enter', left: 'leave', 'gave up': 'leave', crashed: 'cross',
  lost: 'none', expired: 'timer', duplicated: 'double',
};

function mark(event) {
  return event.entry ? 'enter' : marks[event.action] ?? 'plain';
}

function shape(mark, x, y) {
  const circle = (r) => `M${x - r},${y} a${r},${r} 0 1,0 ${2 * r},0 a${r},${r} 0 1,0 ${-2 * r},0 z`;
  switch (mark) {
    case 'ask': return `M${x - 5},${y - 4} h10 l-5,9 z`;
    case 'enter': return `M${x - 6},${y} l6,-6 l6,6 l-6,6 z`;
    case 'leave': return `M${x - 5},${y + 4} h10 l-5,-9 z`;
    case 'cross': return `M${x - 5},${y - 5} l10,10 m0,-10 l-10,10`;
    case 'double': return circle(3) + circle(6);
    case 'timer': return `M${x - 5},${y - 5} h10 v10 h-10 z`;
    case 'none': return circle(2);
    default: return circle(4);
  }
}

function goTo(d, row) {
  d.act.to(first(d, d.history.rows[row]).choice);
}

function keys(d, e) {
  const dot = e.target.closest('.dot');
  if (!dot || e.ctrlKey || e.altKey || e.metaKey) return;
  const row = Number(dot.dataset.row);
  const to = {ArrowLeft: cause, ArrowRight: effect}[e.key]?.(d, row) ?? rowByKey(e.key, row, d.count);
  if (e.key === 'Enter') goTo(d, row);
  else if (e.key === ' ') dot.onclick();
  else if (to === undefined) return;
  else focus(d, to);
  e.preventDefault();
  e.stopPropagation();
}

/** The row of what caused that of another. */
function cause(d, row) {
  const {cause} = first(d, d.history.rows[row]);
  return cause ? rowOf(d.history, cause) : row;
}

/** The row in which the first message of another arrives. */
function effect(d, row) {
  return d.history.rows[row].sends.find((m) => m.end !== undefined)?.end ?? row;
}

/** Selects what happens in a row, and gives it the focus. */
function focus(d, row) {
  d.scroll.reveal(row);
  d.act.select({event: first(d, d.history.rows[row]).number});
  draw(d);
  d.layers.dots.querySelector(`[data-row="${row}"]`)?.focus({preventScroll: true});
}
