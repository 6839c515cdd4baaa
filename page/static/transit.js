// What is in transit, as the network shows it: messages on their way and timers at their nodes, each kind with a shape,
// letters and a color of its own.
import {element, set, setText, svg, sync} from 'doorway/dom.js';
import {classes, eventOf, kindClass, kindIndex, kindLetters} from 'doorway/history.js';

const mostLabels = 8; // messages; of more, or if there is no room, only the letters are shown

/** Draws what is in transit in the network n. */
export function drawTransit(n) {
  const {view, run} = n.model;
  n.glyph = view.transit.length > 40 ? 10 : 11;
  const onWay = (t) => !t.timer && t.from !== t.to;
  const messages = view.transit.filter(onWay).map((transit) => ({
    number: transit.number,
    transit,
    from: n.points[transit.from],
    to: n.points[transit.to],
    part: progress(transit, eventOf(n.history, transit.sent), view.now),
  }));
  place(messages, n.points, 2 * n.glyph + 4, n.radius);
  drawWays(n, messages);
  const all = [...messages, ...atNodes(n, view.transit.filter((t) => !onWay(t)))];
  const stop = stopOf(all.map((m) => 'd' + m.number));
  sync(n.layers.transit, all, (m) => m.number + ':' + run.key, makeTransit, (g, m) => {
    fillTransit(n, g, m, messages);
    set(g, {tabindex: stop === 'd' + m.number ? 0 : -1});
  });
}

/** Of these keys, that at which the Tab key stops: what has the focus, or the first. */
export function stopOf(keys) {
  const key = document.activeElement?.dataset.key;
  return keys.includes(key) ? key : keys[0];
}

function drawWays(n, messages) {
  sync(n.layers.ways, messages, (m) => m.number, () => svg('line'), (line, {transit, from, to}) => {
    const chosen = transit.number === n.chosen.transit && 'chosen';
    set(line, {class: classes('way', chosen), x1: from.x, y1: from.y, x2: to.x, y2: to.y});
  });
}

/** Timers stand around their nodes, on the side away from the middle. */
function atNodes(n, timers) {
  const count = new Map();
  return timers.map((transit) => {
    const node = n.points[transit.to];
    const k = count.get(transit.to) ?? 0;
    count.set(transit.to, k + 1);
    const outwards = Math.atan2(node.y - n.high / 2, node.x - n.wide / 2);
    const angle = outwards + (k % 2 ? 1 : -1) * Math.ceil(k / 2) * 0.75;
    const away = n.radius + 14;
    return {number: transit.number, transit, x: node.x + Math.cos(angle) * away, y: node.y + Math.sin(angle) * away};
  });
}

function makeTransit() {
  return svg('g', {role: 'button', 'aria-haspopup': 'dialog'},
    svg('path', {class: 'glyph'}), svg('text'), ' ', svg('text', {class: 'glyph-label'}));
}

function fillTransit(n, g, m, messages) {
  const {run} = n.model;
  const {number, timer, behind, kind, text} = m.transit;
  const labels = Math.min(mostLabels, (n.wide * n.high) / 20000 - n.points.length / 3);
  const label = timer || messages.length > labels ? '' : short(text, 20);
  const chosen = number === n.chosen.transit;
  set(g, {
    class: classes('transit', timer ? 'timer' : kindClass(run, kind), behind && 'behind', chosen && 'chosen'),
    style: `transform:translate(${m.x.toFixed(1)}px,${m.y.toFixed(1)}px)`,
    'aria-label': nameOf(n, m.transit, label),
    'data-key': 'd' + number,
  });
  const [glyph, letters, beside] = g.children;
  if (timer) set(glyph, {d: clock(8)});
  else drawKind(run, kind, glyph, letters, n.glyph);
  setText(beside, label);
  if (label) set(beside, labelSpot(m, label.length * 6.6, n.glyph, obstacles(n, m, messages), n.wide));
}

/** The accessible name, which begins with what is to be seen. */
function nameOf(n, {timer, kind, text, to}, label) {
  const {name} = n.model.view.members[to];
  if (timer) return `timer ${text} of ${name}`;
  return `${kindLetters(n.model.run.kinds ?? [], kind)} ${label && label !== text ? label + ': ' : ''}${text} to ${name}`;
}

/** What a label of m should not cover: nodes, and other messages. */
function obstacles(n, m, messages) {
  const others = messages.filter((o) => o !== m).map(({x, y}) => ({x, y, r: n.glyph}));
  return [...n.points.map((p) => ({...p, r: n.radius})), ...others];
}

function short(text, most) {
  return text.length > most ? text.slice(0, most - 1) + '…' : text;
}

/** Draws the kinds that are in transit, in words. */
export function drawLegend(n) {
  const {run, view} = n.model;
  const seen = [...new Set(run.kinds)].filter((k) => view.transit.some((t) => t.kind === k && !t.timer));
  const make = () => element('li', {},
    svg('svg', {width: 26, height: 26, viewBox: '-13 -13 26 26', 'aria-hidden': 'true'},
      svg('path', {class: 'glyph'}), svg('text')),
    element('span'));
  sync(n.legend, seen, (k) => k, make, (item, kind) => {
    set(item, {class: kindClass(run, kind)});
    drawKind(run, kind, ...item.firstChild.children, 10);
    setText(item.lastChild, kind);
  });
}

function drawKind(run, kind, glyph, text, r) {
  const letters = kindLetters(run.kinds ?? [], kind);
  set(glyph, {d: shape(kindIndex(run, kind), r)});
  setText(text, letters);
  set(text, {class: classes('glyph-letters', letters.length > 1 && 'two')});
}

/** A shape for each kind of message. */
function shape(kind, r) {
  const s = r * 0.9;
  switch (kind) {
    case 0: return circle(r);
    case 1: return `M${-s},${-s} h${2 * s} v${2 * s} h${-2 * s} z`;
    case 2: return polygon(4, 0, r * 1.3);
    case 3: return polygon(6, 0, r * 1.15);
    case 4: return polygon(3, -Math.PI / 2, r * 1.45);
    default: return polygon(5, -Math.PI / 2, r * 1.2);
  }
}

function circle(r) {
  return `M${-r},0 a${r},${r} 0 1,0 ${2 * r},0 a${r},${r} 0 1,0 ${-2 * r},0 z`;
}

function polygon(corners, turn, r) {
  const angles = Array.from({length: corners}, (_, i) => turn + (i * 2 * Math.PI) / corners);
  return 'M' + angles.map((a) => `${(r * Math.cos(a)).toFixed(1)},${(r * Math.sin(a)).toFixed(1)}`).join(' L') + ' z';
}

function clock(r) {
  return `${circle(r)} M0,${3 - r} V0 H${r - 4}`;
}

// Messages in the network stand on the way from sender to receiver, and not upon each other.
const steps = [0, 0.08, -0.08, 0.16, -0.16, 0.24, -0.24, 0.32, -0.32, 0.4, -0.4];
const tries = [1, 2.6, -1].flatMap((side) => steps.map((step) => ({side, step})));

/** How far a message has come, from 0 to 1. */
function progress(transit, sent, now) {
  const [from, to, at] = [sent?.at, transit.due, now].map(parseFloat);
  const part = (at - from) / (to - from);
  return Number.isFinite(part) ? Math.max(0, Math.min(1, part)) : 0.3;
}

/**
 * Places messages, given as {key, from, to, part} with the points of sender and receiver, and adds x and y. Each keeps
 * a distance of apart from nodes and from those before it, as far as there is room. Those that pass each other
 * keep to the right.
 */
function place(messages, nodes, apart, node) {
  const placed = [];
  for (const m of messages) {
    let best = null;
    for (const {side, step} of tries) {
      const spot = onWay(m, Math.max(0.18, Math.min(0.82, 0.2 + 0.6 * m.part + step)), side * apart * 0.3);
      spot.free = room(spot, placed, nodes, apart, node);
      if (!best || spot.free > best.free + 0.01) best = spot;
      if (best.free >= 1) break;
    }
    placed.push(Object.assign(m, {x: best.x, y: best.y}));
  }
  return messages;
}

/** Where a label beside a glyph of radius r covers the least: at the right, the left, below or above. */
function labelSpot(m, wide, r, obstacles, width) {
  const spots = [
    {x: r + 3, y: 4, 'text-anchor': 'start'}, {x: -r - 3, y: 4, 'text-anchor': 'end'},
    {x: 0, y: r + 13, 'text-anchor': 'middle'}, {x: 0, y: -r - 5, 'text-anchor': 'middle'},
  ];
  const covered = (spot) => {
    const left = m.x + spot.x - {start: 0, end: wide, middle: wide / 2}[spot['text-anchor']];
    const middle = m.y + spot.y - 4;
    const meets = (o) => o.x + o.r > left && o.x - o.r < left + wide && Math.abs(o.y - middle) < o.r + 6;
    return obstacles.filter(meets).length + (left < 0 || left + wide > width ? 3 : 0);
  };
  return spots.reduce((best, spot) => (covered(spot) < covered(best) ? spot : best));
}

/** The spot at a part of the way, to the side of the straight line. */
function onWay({from, to}, part, side) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  return {x: from.x + dx * part - (dy / length) * side, y: from.y + dy * part + (dx / length) * side};
}

/** How much room a spot has, as a part of what it should have: 1 is enough. */
function room(spot, placed, nodes, apart, node) {
  let least = 1;
  for (const p of placed) least = Math.min(least, Math.hypot(p.x - spot.x, p.y - spot.y) / apart);
  for (const n of nodes) least = Math.min(least, Math.hypot(n.x - spot.x, n.y - spot.y) / (node + apart / 2));
  return least;
}
