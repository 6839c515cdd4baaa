// The nodes on their shape, and the messages on their way between them.
import {element, set, setText, svg, sync} from 'doorway/dom.js';
import {classes, historyOf, phaseLetter, phaseOf, selection} from 'doorway/history.js';
import {makeMenu} from 'doorway/menu.js';
import {drawLegend, drawTransit, stopOf} from 'doorway/transit.js';

const mostWaits = 16; // arrows; more would hide the messages

export function make(root, act) {
  const n = {act, model: null, pressed: '', layers: {}};
  for (const name of ['links', 'waits', 'ways', 'nodes', 'transit']) {
    const seenOnly = name !== 'nodes' && name !== 'transit';
    n.layers[name] = svg('g', {class: 'network-' + name, 'aria-hidden': seenOnly ? 'true' : null});
  }
  const size = {viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto'};
  const head = svg('marker', {id: 'wait', class: 'wait', ...size}, svg('path', {d: 'M0,0.5 L8,4 L0,7.5'}));
  n.svg = svg('svg', {
    class: 'network-svg', role: 'group', 'aria-label': 'Network',
    click: (e) => openMenu(n, keyOf(e)), focusin: focused,
    keydown: (e) => keys(n, e), keyup: (e) => released(n, e),
  }, svg('defs', {}, head), ...Object.values(n.layers));
  n.showWaits = element('input', {type: 'checkbox', checked: true, change: () => n.model && draw(n)});
  n.waitsNote = element('span');
  n.legend = element('ul', {class: 'network-legend', 'aria-label': 'Kinds of messages'});
  n.quorum = element('p', {class: 'network-quorum'});
  n.box = element('div', {class: 'network-box'}, n.svg);
  const toggle = element('label', {class: 'network-toggle'}, n.showWaits, ' who waits for whom', n.waitsNote);
  root.append(n.box, element('div', {class: 'network-foot'}, toggle, n.legend), n.quorum);
  n.menu = makeMenu(n.box, act);
  new ResizeObserver(() => {
    if (n.model && n.box.clientHeight > 0) draw(n); // it is hidden while the run is one of a lock
  }).observe(n.box);
  return {update: (model) => update(n, model)};
}

function update(n, model) {
  if (model.run.kind === 'lock') return;
  Object.assign(n, {model, history: historyOf(model), chosen: selection(model)});
  draw(n);
  n.menu.update((key) => about(n, key));
}

function draw(n) {
  const {run, view} = n.model;
  n.high = n.box.clientHeight || 300;
  n.wide = Math.round(Math.min(2.2 * n.high, Math.max(240, n.box.clientWidth || 300)));
  n.radius = Math.max(13, Math.min(21, nearest(fit(run.points, n.wide, n.high, 45)) / 2 - 6));
  n.points = fit(run.points, n.wide, n.high, n.radius + 24);
  n.asked = run.quorums?.[n.chosen.member] ?? [];
  set(n.svg, {
    viewBox: `0 0 ${n.wide} ${n.high}`, width: n.wide, height: n.high,
    class: classes('network-svg', n.radius < 17 && 'small', view.verdict.kind === 'violated' && 'violated'),
  });
  drawLinks(n);
  drawWaits(n);
  drawTransit(n);
  drawNodes(n);
  drawLegend(n);
}

/** The points in a picture of this size, which they fill up to an edge. */
function fit(points, wide, high, edge) {
  const along = (axis, room) => {
    const all = points.map((p) => p[axis]);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    return (v) => (most > least ? edge + ((v - least) / (most - least)) * (room - 2 * edge) : room / 2);
  };
  const [x, y] = [along('x', wide), along('y', high)];
  return points.map((p) => ({x: Math.round(x(p.x)), y: Math.round(y(p.y))}));
}

/** The distance of the two that are nearest to each other. */
function nearest(points) {
  const distances = points.flatMap((a, i) => points.slice(i + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y)));
  return Math.min(...distances);
}

function drawLinks(n) {
  const {run, view: {members}} = n.model;
  const own = n.chosen.member;
  const quorum = n.asked.filter((q) => q !== own).map((q) => ({a: own, b: q, kind: 'quorum'}));
  const links = [...(run.links ?? []).map(([a, b]) => ({a, b, kind: 'link'})), ...quorum];
  sync(n.layers.links, links, (l) => `${l.kind} ${l.a} ${l.b}`, (l) => svg('line', {class: l.kind}), (line, l) => {
    const [a, b] = [n.points[l.a], n.points[l.b]];
    set(line, {x1: a.x, y1: a.y, x2: b.x, y2: b.y});
  });
  n.quorum.hidden = n.asked.length === 0;
  const names = n.asked.map((q) => members[q].name).join(' ');
  setText(n.quorum, n.quorum.hidden ? '' : `Quorum of ${members[own].name}: ${names}`);
}

/** Thin arrows from who waits to whom they wait for: of the node that is selected, or of all if they are few. */
function drawWaits(n) {
  const arrows = new Map(n.model.view.waits.map((w) => [`${w.member} ${w.for}`, w]));
  const all = [...arrows.values()].filter((w) => w.for !== w.member && n.points[w.for]);
  const tooMany = n.chosen.member < 0 && all.length > mostWaits;
  const shown = n.showWaits.checked && !tooMany;
  const waits = all.filter((w) => shown && (n.chosen.member < 0 || w.member === n.chosen.member));
  setText(n.waitsNote, tooMany && n.showWaits.checked ? ' (select a node)' : '');
  const make = () => svg('path', {'marker-end': 'url(#wait)'});
  sync(n.layers.waits, waits, (w) => `${w.member} ${w.for}`, make, (path, w) => {
    set(path, {d: bent(n.points[w.member], n.points[w.for], n.radius + 6)});
  });
}

/** A bent line from a to b, which leaves a gap at both ends. */
function bent(a, b, gap) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const bend = length * 0.12;
  const point = (x, y) => `${x.toFixed(1)},${y.toFixed(1)}`;
  return `M${point(a.x + ux * gap, a.y + uy * gap)}`
    + ` Q${point((a.x + b.x) / 2 + uy * bend, (a.y + b.y) / 2 - ux * bend)}`
    + ` ${point(b.x - ux * gap, b.y - uy * gap)}`;
}

function drawNodes(n) {
  const {run, view: {members}} = n.model;
  const stop = stopOf(members.map((_, i) => 'm' + i));
  sync(n.layers.nodes, members, (_, i) => i + ':' + run.key, makeNode, (g, m, i) => {
    const phase = phaseOf(m);
    const letter = phaseLetter(phase);
    set(g, {
      class: classes('node', 'phase-' + phase, i === n.chosen.member && 'chosen', n.asked.includes(i) && 'asked'),
      transform: `translate(${n.points[i].x},${n.points[i].y})`,
      'aria-label': [m.name, letter, m.crashed ? 'crashed' : m.phase].filter(Boolean).join(' '),
      'data-key': 'm' + i,
      tabindex: stop === 'm' + i ? 0 : -1,
    });
    const [ring, circle, name, mark] = g.children;
    set(ring, {r: n.radius + 4});
    set(circle, {r: n.radius});
    set(setText(name, m.name), {y: letter ? -1 : 5});
    set(setText(mark, letter), {y: n.radius / 2 + 2});
  });
}

function makeNode() {
  return svg('g', {role: 'button', 'aria-haspopup': 'dialog'},
    svg('circle', {class: 'node-ring'}), svg('circle', {class: 'node-body'}),
    svg('text', {class: 'node-name'}), ' ', svg('text', {class: 'node-mark'}));
}

/** What a menu is about: a node by m and its index, what is in transit by d and its number. */
function about(n, key) {
  const {view} = n.model;
  const number = Number(key.slice(1));
  const member = key[0] === 'm' ? view.members[number] : undefined;
  const transit = key[0] === 'd' ? view.transit.find((t) => t.number === number) : undefined;
  if (!member && !transit) return undefined;
  const concerns = view.choices.filter((c) => (member ? c.member === number && c.on === 0 : c.on === number));
  const choices = concerns.filter((c, i) => concerns.findIndex((other) => other.text === c.text) === i);
  const title = member ? `${member.name}, ${member.crashed ? 'crashed' : member.phase}` : transit.text;
  return {key, choices, title, member: member ? number : transit.to};
}

function keyOf(e) {
  return e.target.closest('[data-key]')?.dataset.key;
}

function elementOf(n, key) {
  return n.svg.querySelector(`[data-key="${key}"]`);
}

function openMenu(n, key) {
  if (!key) return;
  n.act.select(key[0] === 'm' ? {member: Number(key.slice(1))} : {transit: Number(key.slice(1))});
  const what = about(n, key);
  const from = elementOf(n, key);
  if (from && what) n.menu.show({...what, from, near: () => elementOf(n, 'm' + what.member)});
}

/** The Tab key leaves from what has the focus, and not to others of its layer. */
function focused(e) {
  const thing = e.target.closest('[data-key]');
  for (const other of thing?.parentNode.children ?? []) set(other, {tabindex: other === thing ? 0 : -1});
}

function keys(n, e) {
  const thing = e.target.closest('[data-key]');
  if (!thing || e.ctrlKey || e.altKey || e.metaKey) return;
  const all = [...thing.parentNode.children];
  const by = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1}[e.key];
  if (e.key === 'Enter' || e.key === ' ') n.pressed = thing.dataset.key;
  else if (by) all[(all.indexOf(thing) + by + all.length) % all.length].focus();
  else return;
  e.preventDefault();
  e.stopPropagation();
}

/** The menu opens when the key is released, so that a key held down does not also choose the first button. */
function released(n, e) {
  const key = keyOf(e);
  if (key && key === n.pressed) openMenu(n, key);
  n.pressed = '';
}
