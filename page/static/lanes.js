// The steps of a lock: a lane for each process, tinted by its phase, with the step of who takes it.
import {element, set, setText, sync} from 'doorway/dom.js';
import {classes, historyOf, phaseLetter, phaseMeaning, phaseOf, selection, spansIn} from 'doorway/history.js';
import {makeFoot} from 'doorway/foot.js';
import {makeRows} from 'doorway/rows.js';

const phases = ['doorway', 'waiting', 'inside', 'exit', 'remainder'];

export function make(root, act) {
  const l = {act, model: null};
  l.names = element('div', {class: 'lanes-names'});
  l.empty = element('p', {class: 'pictures-empty'}, 'No step yet: make a choice.');
  const event = (i) => l.history.events[i];
  l.rows = makeRows(root, {
    name: 'Steps', high: 24, head: l.names,
    pick: (i) => act.select({event: event(i).number}), go: (i) => act.to(event(i).choice),
    make: () => element('div'), fill: (row, i) => fill(l, row, i),
  });
  root.append(l.empty);
  l.foot = makeFoot(root, act, phases, ['absorbing', 'two']);
  return {update: (model) => update(l, model)};
}

function update(l, model) {
  const history = historyOf(model);
  const anew = history.key !== l.history?.key;
  const chosen = selection(model);
  Object.assign(l, {model, history});
  const {members} = model.view;
  set(l.rows.scroller, {style: `--lanes:${members.length}`});
  const make = (_, i) => element('button', {type: 'button', click: () => l.act.select({member: i})});
  sync(l.names, members, (_, i) => i, make, (button, m, i) => {
    const phase = phaseOf(m);
    setText(button, `${m.name} ${m.phase}`);
    const pressed = String(chosen.member === i);
    const title = `${m.name}: ${phaseMeaning(phase)}`;
    set(button, {class: 'lanes-name phase-' + phase, 'aria-pressed': pressed, title});
  });
  l.empty.hidden = history.events.length > 0;
  l.rows.update(history.events.length, chosen.event - 1, {anew, reveals: chosen.reveals});
  l.foot(model, history);
}

function fill(l, row, i) {
  const event = l.history.events[i];
  const phase = (member, row) => spansIn(l.history, member, row, row).at(-1)?.phase ?? '';
  const becomes = phase(event.member, i);
  const letter = becomes === phase(event.member, i - 1) ? '' : phaseLetter(becomes) || 'R';
  const {two} = l.history.rows[i];
  const said = [two && '‼', letter, inShort(event)].filter(Boolean).join(' ');
  set(row, {class: classes('lanes-row', two && 'two'), 'aria-label': `${said}: ${event.text}`});
  sync(row, l.model.view.members, (_, k) => k, () => element('span'), (cell, _, k) => {
    const acts = k === event.member;
    set(cell, {class: classes('lanes-cell', 'phase-' + phase(k, i), acts && 'acts'), title: acts ? event.text : null});
    setText(cell, acts ? said : '');
  });
}

/** A step in short: the lane says whose it is, and its letter that it enters. */
function inShort(event) {
  return event.text.replace(/^\S+ (?:writes )?/, '').replace(/, and (?:enters|goes on)(?:, as .*)?$/, '')
    .replace(/^reads (.*) from (.*)$/, 'read $2: $1')
    .replace(/^awaits (.*), finds (\d+), and waits$/, 'await $1: $2 ✕')
    .replace(/^awaits (.*), finds (\d+)$/, 'await $1: $2 ✓');
}
