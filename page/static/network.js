// The nodes on their shape, and the messages on their way between them.
import { element, set, setText, svg, sync } from 'doorway/dom.js';
import { historyOf, eventOf, kindLetters, phaseLetter, phaseOf, selection } from 'doorway/history.js';
import { makeMenu } from 'doorway/menu.js';
import { labelSpot, place, progress } from 'doorway/place.js';

const mostWaits = 16; // arrows; more would hide the messages

export function make(root, act) {
  const n = { act, model: null, stops: { m: 'm0', d: '' }, pressed: '' };
  n.layers = {};
  for (const name of ['links', 'waits', 'ways', 'nodes', 'transit']) n.layers[name] = svg('g', { class: 'network-' + name });
  const head = svg('marker', { id: 'wait', class: 'wait', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' }, svg('path', { d: 'M0,0.5 L8,4 L0,7.5' }));
  n.svg = svg('svg', { class: 'network-svg', role: 'group', 'aria-label': 'Network', keydown: (e) => keys(n, e), keyup: (e) => released(n, e), focusin: (e) => focused(n, e) }, svg('defs', {}, head), ...Object.values(n.layers));
  for (const name of ['links', 'waits', 'ways']) set(n.layers[name], { 'aria-hidden': 'true' });
  n.showWaits = element('input', { type: 'checkbox', checked: true, change: () => n.model && draw(n) });
  n.waitsNote = element('span');
  n.legend = element('ul', { class: 'network-legend', 'aria-label': 'Kinds of messages' });
  n.quorum = element('p', { class: 'network-quorum' });
  n.box = element('div', { class: 'network-box' }, n.svg);
  root.append(n.box, element('div', { class: 'network-foot' }, element('label', { class: 'network-toggle' }, n.showWaits, ' who waits for whom', n.waitsNote), n.legend), n.quorum);
  n.menu = makeMenu(n.box, act);
  new ResizeObserver(() => n.model && draw(n)).observe(n.box);
  return { update: (model) => update(n, model) };
}

function update(n, model) {
  if (model.run.kind === 'lock') return;
  Object.assign(n, { model, history: historyOf(model), chosen: selection(model) });
  draw(n);
  n.menu.update((key) => about(n, key));
}

function draw(n) {
  const { run, view } = n.model;
  n.radius = view.members.length > 7 ? 17 : 21;
  n.high = Math.max(200, n.box.clientHeight || 300);
  n.wide = Math.min(2.2 * n.high, Math.max(240, n.box.clientWidth || 300));
  n.points = fit(run.points ?? [], n.wide, n.high, n.radius + 22);
  set(n.svg, { viewBox: `0 0 ${n.wide} ${n.high}`, width: n.wide, height: n.high });
  drawLinks(n);
  drawWaits(n);
  drawTransit(n);
  drawNodes(n);
  drawLegend(n);
  n.svg.classList.toggle('violated', view.verdict.kind === 'violated');
}

/** The points in a picture of this size, which they fill up to an edge. */
function fit(points, wide, high, edge) {
  const along = (axis, room) => {
    const all = points.map((p) => p[axis]);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    return (v) => (most > least ? edge + ((v - least) / (most - least)) * (room - 2 * edge) : room / 2);
  };
  const [x, y] = [along('x', wide), along('y', high)];
  return points.map((p) => ({ x: x(p.x), y: y(p.y) }));
}

function quorumOf(n) {
  return n.model.run.quorums?.[n.chosen.member] ?? [];
}

function drawLinks(n) {
  const own = n.chosen.member;
  const quorum = quorumOf(n).filter((q) => q !== own).map((q) => ({ a: own, b: q, kind: 'quorum' }));
  const links = [...(n.model.run.links ?? []).map(([a, b]) => ({ a, b, kind: 'link' })), ...quorum];
  sync(n.layers.links, links, (l) => l.kind + l.a + '.' + l.b, (l) => svg('line', { class: l.kind }), (line, l) => {
    const [a, b] = [n.points[l.a], n.points[l.b]];
    set(line, { x1: a.x, y1: a.y, x2: b.x, y2: b.y });
  });
  const names = quorumOf(n).map((q) => n.model.view.members[q].name);
  setText(n.quorum, names.length > 0 ? `Quorum of ${n.model.view.members[own].name}: ${names.join(' ')}` : '');
  n.quorum.hidden = names.length === 0;
}

/** Thin arrows from who waits to whom they wait for: of the node that is selected, or of all if they are few. */
function drawWaits(n) {
  const all = n.model.view.waits.filter((w) => w.for !== w.member && n.points[w.for]);
  const own = all.filter((w) => w.member === n.chosen.member);
  const waits = !n.showWaits.checked ? [] : n.chosen.member >= 0 ? own : all.length > mostWaits ? [] : all;
  setText(n.waitsNote, n.showWaits.checked && n.chosen.member < 0 && all.length > mostWaits ? ' (select a node)' : '');
  const once = [...new Map(waits.map((w) => [w.member + '.' + w.for, w])).entries()];
  sync(n.layers.waits, once, ([key]) => key, () => svg('path', { 'marker-end': 'url(#wait)' }), (path, [, w]) => {
    const [a, b] = [n.points[w.member], n.points[w.for]];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const [gap, bend] = [n.radius + 6, length * 0.12];
    const middle = { x: (a.x + b.x) / 2 + uy * bend, y: (a.y + b.y) / 2 - ux * bend };
    set(path, { d: `M${fix(a.x + ux * gap)},${fix(a.y + uy * gap)} Q${fix(middle.x)},${fix(middle.y)} ${fix(b.x - ux * gap)},${fix(b.y - uy * gap)}` });
  });
}

function fix(number) {
  return number.toFixed(1);
}

function drawTransit(n) {
  const { view } = n.model;
  n.glyph = view.transit.length > 40 ? 10 : 11;
  const messages = view.transit.filter((t) => !t.timer && t.from !== t.to).map((t) => ({ ...t, from: n.points[t.from], to: n.points[t.to], part: progress(t, eventOf(n.history, t.sent), view.now), transit: t }));
  place(messages, n.points, 2 * n.glyph + 4, n.radius);
  n.messages = messages;
  const timers = atNodes(n, view.transit.filter((t) => t.timer || t.from === t.to));
  sync(n.layers.ways, messages, (m) => m.number, () => svg('line'), (line, m) => set(line, { class: 'way' + ways(n, m.transit), x1: fix(m.from.x), y1: fix(m.from.y), x2: fix(m.to.x), y2: fix(m.to.y) }));
  const labels = messages.length <= 8;
  const all = [...messages, ...timers];
  if (!all.some((m) => 'd' + m.number === n.stops.d)) n.stops.d = all.length > 0 ? 'd' + all[0].number : '';
  sync(n.layers.transit, all, (m) => m.number + ':' + n.model.run.key, (m) => makeTransit(n, m.number), (g, m) => fillTransit(n, g, m, labels));
}

function ways(n, transit) {
  return transit.number === n.chosen.transit ? ' chosen' : '';
}

/** Timers stand around their nodes, on the side away from the middle. */
function atNodes(n, timers) {
  const count = new Map();
  return timers.map((t) => {
    const p = n.points[t.to];
    const k = count.get(t.to) ?? 0;
    count.set(t.to, k + 1);
    const outwards = Math.atan2(p.y - n.high / 2, p.x - n.wide / 2) + (k % 2 ? 1 : -1) * Math.ceil(k / 2) * 0.75;
    return { number: t.number, transit: t, x: p.x + Math.cos(outwards) * (n.radius + 14), y: p.y + Math.sin(outwards) * (n.radius + 14) };
  });
}

function makeTransit(n, number) {
  return svg('g', { role: 'button', 'aria-haspopup': 'dialog', click: () => openMenu(n, 'd' + number) }, svg('path', { class: 'glyph' }), svg('text', { class: 'glyph-letters' }), ' ', svg('text', { class: 'glyph-label' }));
}

function fillTransit(n, g, m, labels) {
  const { kinds = [] } = n.model.run;
  const { transit } = m;
  const kind = Math.max(0, kinds.indexOf(transit.kind)) % 6;
  const letters = transit.timer ? '' : kindLetters(kinds, transit.kind);
  const label = labels && !transit.timer ? short(transit.text, 20) : '';
  const chosen = transit.number === n.chosen.transit;
  set(g, { class: `transit ${transit.timer ? 'timer' : 'kind-' + kind}${transit.behind ? ' behind' : ''}${chosen ? ' chosen' : ''}`, 'aria-label': transitName(n, transit, letters, label), 'data-key': 'd' + transit.number, style: `transform:translate(${fix(m.x)}px,${fix(m.y)}px)`, tabindex: stop(n, 'd' + transit.number) });
  const [glyph, inside, beside] = g.children;
  set(glyph, { d: transit.timer ? clock(8) : shape(kind, n.glyph) });
  setText(inside, letters);
  set(inside, { class: letters.length > 1 ? 'glyph-letters two' : 'glyph-letters' });
  setText(beside, label);
  if (label) set(beside, labelSpot(m, label.length * 6.6, n.glyph, obstacles(n, m), n.wide));
}

/** The name begins with what is to be seen of it. */
function transitName(n, { timer, text, to }, letters, label) {
  const { name } = n.model.view.members[to];
  if (timer) return `timer ${text} of ${name}`;
  return `${letters} ${label && label !== text ? label + ': ' : ''}${text} to ${name}`;
}

/** What a label of m should not cover: nodes, and what else is in transit. */
function obstacles(n, m) {
  const others = n.messages.filter((o) => o !== m).map((o) => ({ x: o.x, y: o.y, r: n.glyph }));
  return [...n.points.map((p) => ({ ...p, r: n.radius })), ...others];
}

function short(text, most) {
  return text.length > most ? text.slice(0, most - 1) + '…' : text;
}

/** A shape for each kind of message: they differ also without their colors. */
export function shape(kind, r) {
  const s = r * 0.9;
  const polygon = (corners, turn, size) => 'M' + Array.from({ length: corners }, (_, i) => {
    const angle = turn + (i * 2 * Math.PI) / corners;
    return `${fix(size * Math.cos(angle))},${fix(size * Math.sin(angle))}`;
  }).join(' L') + ' z';
  switch (kind) {
    case 0: return `M${-r},0 a${r},${r} 0 1,0 ${2 * r},0 a${r},${r} 0 1,0 ${-2 * r},0 z`;
    case 1: return `M${-s},${-s} h${2 * s} v${2 * s} h${-2 * s} z`;
    case 2: return polygon(4, 0, r * 1.3);
    case 3: return polygon(6, 0, r * 1.15);
    case 4: return polygon(3, -Math.PI / 2, r * 1.45);
    default: return polygon(5, -Math.PI / 2, r * 1.2);
  }
}

function clock(r) {
  return `M${-r},0 a${r},${r} 0 1,0 ${2 * r},0 a${r},${r} 0 1,0 ${-2 * r},0 z M0,${-r + 3} V0 H${r - 4}`;
}

function drawNodes(n) {
  const { members } = n.model.view;
  const quorum = quorumOf(n);
  sync(n.layers.nodes, members, (_, i) => i + ':' + n.model.run.key, (_, i) => makeNode(n, i), (g, m, i) => {
    const phase = phaseOf(m);
    const letter = phaseLetter(phase);
    const [ring, circle, name, mark] = g.children;
    set(g, { class: `node phase-${phase}${i === n.chosen.member ? ' chosen' : ''}${quorum.includes(i) ? ' asked' : ''}`, transform: `translate(${fix(n.points[i].x)},${fix(n.points[i].y)})`, 'aria-label': [m.name, letter, m.crashed ? 'crashed' : m.phase].filter(Boolean).join(' '), 'data-key': 'm' + i, tabindex: stop(n, 'm' + i) });
    set(circle, { r: n.radius });
    set(ring, { r: n.radius + 4 });
    setText(name, m.name);
    set(name, { y: letter ? -1 : 5 });
    setText(mark, letter);
    set(mark, { y: 13 });
  });
}

function makeNode(n, i) {
  return svg('g', { role: 'button', 'aria-haspopup': 'dialog', click: () => openMenu(n, 'm' + i) }, svg('circle', { class: 'node-ring' }), svg('circle', { class: 'node-body' }), svg('text', { class: 'node-name' }), ' ', svg('text', { class: 'node-mark' }));
}

function drawLegend(n) {
  const { run, view } = n.model;
  const seen = (run.kinds ?? []).filter((k) => view.transit.some((t) => t.kind === k && !t.timer));
  sync(n.legend, seen, (k) => k, () => element('li', {}, svg('svg', { width: 26, height: 26, viewBox: '-13 -13 26 26', 'aria-hidden': 'true' }, svg('path', { class: 'glyph' }), svg('text', { class: 'glyph-letters' })), element('span')), (item, k) => {
    const kind = run.kinds.indexOf(k) % 6;
    set(item, { class: 'kind-' + kind });
    set(item.querySelector('path'), { d: shape(kind, 10) });
    const letters = kindLetters(run.kinds, k);
    setText(item.querySelector('text'), letters);
    set(item.querySelector('text'), { class: letters.length > 1 ? 'glyph-letters two' : 'glyph-letters' });
    setText(item.lastChild, k);
  });
}

/** What a menu is about: a node by m and its index, what is in transit by d and its number. */
function about(n, key) {
  const { view } = n.model;
  const number = Number(key.slice(1));
  const member = key[0] === 'm' ? view.members[number] : undefined;
  const transit = key[0] === 'd' ? view.transit.find((t) => t.number === number) : undefined;
  if (!member && !transit) return undefined;
  const concerns = view.choices.filter((c) => (member ? c.member === number && c.on === 0 : c.on === number));
  const choices = concerns.filter((c, i) => concerns.findIndex((other) => other.text === c.text) === i);
  return { key, choices, member: member ? number : transit.to, title: member ? `${member.name}, ${member.crashed ? 'crashed' : member.phase}` : transit.text };
}

function openMenu(n, key) {
  n.act.select(key[0] === 'm' ? { member: Number(key.slice(1)) } : { transit: Number(key.slice(1)) });
  const from = n.svg.querySelector(`[data-key="${key}"]`);
  const what = about(n, key);
  if (!from || !what) return;
  const near = () => n.svg.querySelector(`[data-key="m${what.member}"]`);
  n.menu.show({ ...what, from, near });
}

/** The Tab key stops once at the nodes and once at what is in transit: where the focus was last. */
function stop(n, key) {
  return n.stops[key[0]] === key ? 0 : -1;
}

/** The menu opens when the key is released, so that a key held down does not also choose the first button. */
function released(n, e) {
  const key = e.target.closest('[data-key]')?.dataset.key;
  if (key && key === n.pressed) openMenu(n, key);
  n.pressed = '';
}

function focused(n, e) {
  const thing = e.target.closest('[data-key]');
  if (!thing) return;
  const { key } = thing.dataset;
  set(n.svg.querySelector(`[data-key="${n.stops[key[0]]}"]`) ?? thing, { tabindex: -1 });
  set(thing, { tabindex: 0 });
  n.stops[key[0]] = key;
}

function keys(n, e) {
  const thing = e.target.closest('[data-key]');
  if (!thing || e.ctrlKey || e.altKey || e.metaKey) return;
  const all = [...thing.parentNode.children];
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[e.key];
  if (e.key === 'Enter' || e.key === ' ') n.pressed = thing.dataset.key;
  else if (by) all[(all.indexOf(thing) + by + all.length) % all.length].focus();
  else return;
  e.preventDefault();
  e.stopPropagation();
}
