// The steps of a lock: a lane for each process, tinted by its phase, with the step of who takes it.
import {element, set, setText, sync} from 'doorway/dom.js';
import {historyOf, phaseLetter, phaseName, phaseOf, selection, spansIn} from 'doorway/history.js';
import {makeRows} from 'doorway/rows.js';

export function make(root, act) {
  const l = {act, model: null};
  l.names = element('div', {class: 'lanes-names'});
  l.empty = element('p', {class: 'pictures-empty'}, 'No step yet: make a choice.');
  const event = (i) => l.history.events[i];
  l.rows = makeRows(root, {
    name: 'Steps', high: 24, head: l.names,
    pick: (i) => act.select({event: event(i).number}), go: (i) => act.to(event(i).choice),
    make: () => element('div', {class: 'lanes-row'}), fill: (row, i) => fill(l, row, i),
  });
  root.append(l.empty);
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
    setText(button, m.name + (phase ? ' ' + phase : ''));
    const pressed = String(chosen.member === i);
    set(button, {class: 'lanes-name phase-' + phase, 'aria-pressed': pressed, title: button.textContent});
  });
  l.empty.hidden = history.events.length > 0;
  l.rows.update(history.events.length, chosen.event - 1, {anew, reveals: chosen.reveals});
}

function fill(l, row, i) {
  const event = l.history.events[i];
  set(row, {'aria-label': stepText(event) + ': ' + event.text});
  sync(row, l.model.view.members, (_, k) => k, () => element('span'), (cell, _, k) => {
    const phase = spansIn(l.history, k, i, i).at(-1)?.phase ?? '';
    const acts = k === event.member;
    const was = spansIn(l.history, k, i - 1, i - 1).at(-1)?.phase ?? '';
    set(cell, {class: `lanes-cell phase-${phaseName(phase)}${acts ? ' acts' : ''}`, title: acts ? event.text : null});
    setText(cell, acts ? (phase !== was && phaseLetter(phase) ? phaseLetter(phase) + ' ' : '') + stepText(event) : '');
  });
}

/** A step without the name of its process, which the lane has. */
function stepText(event) {
  return event.text.replace(/^[PS]\d+:? /, '');
}
