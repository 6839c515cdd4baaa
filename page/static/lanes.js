// The steps of a lock: a lane for each process, tinted by its phase, with the step of who takes it.
import {element, set, setText, sync} from 'doorway/dom.js';
import {classes, historyOf, phaseLetter, phaseMeaning, phaseOf, selection} from 'doorway/history.js';
import {makeEvents} from 'doorway/rows.js';

export function make(root, act) {
  const l = {act, root};
  l.names = element('div', {class: 'lanes-names'});
  const update = makeEvents(root, act, {
    name: 'Steps', none: 'No step yet: make a choice.', high: 24, head: l.names,
    always: ['doorway', 'waiting', 'inside', 'exit', 'remainder'], later: ['absorbing', 'two'],
    make: () => element('div'), fill: (row, event, i) => fill(l, row, event, i),
  });
  return {
    update(model) {
      Object.assign(l, {model, history: historyOf(model)});
      drawNames(l, model.view.members, selection(model).member);
      update(model);
    },
  };
}

function drawNames(l, members, chosen) {
  set(l.root, {style: `--lanes:${members.length}`});
  const make = (_, i) => element('button', {type: 'button', click: () => l.act.select({member: i})});
  sync(l.names, members, (_, i) => i, make, (button, m, i) => {
    const phase = phaseOf(m);
    setText(button, `${m.name} ${m.phase}`);
    const title = `${m.name}: ${phaseMeaning(phase)}`;
    set(button, {class: 'lanes-name phase-' + phase, 'aria-pressed': String(chosen === i), title});
  });
}

/** Writes the row of a step: what phase each process is in after it, and in short what happens. */
function fill(l, row, event, i) {
  const {phases, two} = l.history.rows[i];
  const before = i > 0 ? l.history.rows[i - 1].phases[event.member] : '';
  const becomes = phases[event.member];
  const letter = becomes === before ? '' : phaseLetter(becomes) || 'R';
  const said = [two && '‼', letter, inShort(event)].filter(Boolean).join(' ');
  set(row, {class: classes('lanes-row', two && 'two'), 'aria-label': `${said}: ${event.text}`});
  sync(row, phases, (_, k) => k, () => element('span'), (cell, phase, k) => {
    const acts = k === event.member;
    set(cell, {class: classes('lanes-cell', 'phase-' + phase, acts && 'acts'), title: acts ? event.text : null});
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
