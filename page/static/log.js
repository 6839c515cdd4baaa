// The events as a list, and the messages counted beside the formula.
import {element, set, setText, sync} from 'doorway/dom.js';
import {causes, classes, historyOf, rowOf, selection} from 'doorway/history.js';
import {makeEvents} from 'doorway/rows.js';

export function make(root, act) {
  const l = {};
  const update = makeEvents(root, act, {
    name: 'Events', none: 'Nothing has happened yet.', high: 34, // two lines
    make: () => element('div', {}, element('span', {class: 'log-at'}), element('span', {class: 'log-text'})),
    fill: (row, event) => fill(l, row, event),
  });
  return {
    update(model) {
      const [history, {event, member}] = [historyOf(model), selection(model)];
      Object.assign(l, {history, chain: causes(history, event), member, lock: model.run.kind === 'lock'});
      update(model);
    },
  };
}

function fill(l, row, event) {
  setText(row.firstChild, l.lock ? event.number : event.at);
  setText(row.lastChild, event.text);
  const why = l.chain.indexOf(event.number) > 0;
  const mine = l.member === event.member && 'mine';
  const two = l.history.rows[rowOf(l.history, event.number)].two && 'two';
  set(row, {class: classes('log-row', event.entry && 'entry', why && 'why', mine, two), title: event.text});
}

/** The messages so far, by kind, and on average by entry, beside the claim. */
export function makeCosts(root) {
  const box = element('dl', {class: 'log-costs'});
  root.append(box);
  return {
    update(model) {
      const {costs} = model.view;
      const rows = [
        ['Messages', costs.messages],
        ...costs.kinds.map(({kind, sent}) => [kind, sent]),
        ['Entries', costs.entries],
        ['Messages per entry', costs.perEntry || '–'],
        ['Formula', costs.claim ? `${costs.claim}: ${costs.claimed}` : '–'],
      ];
      const make = () => element('div', {}, element('dt'), element('dd'));
      sync(box, rows, ([name]) => name, make, (row, [name, value]) => {
        setText(row.firstChild, name);
        setText(row.lastChild, value);
      });
    },
  };
}
