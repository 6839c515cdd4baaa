// The events as a list, and the messages counted beside the formula.
import {element, set, setText, sync} from 'doorway/dom.js';
import {causes, classes, historyOf, rowOf, selection} from 'doorway/history.js';
import {makeFoot} from 'doorway/foot.js';
import {makeRows} from 'doorway/rows.js';

export function make(root, act) {
  const l = {act, chain: []};
  l.empty = element('p', {class: 'pictures-empty'}, 'Nothing has happened yet.');
  const event = (i) => l.history.events[i];
  l.rows = makeRows(root, {
    name: 'Events', high: 34, // two lines
    pick: (i) => act.select({event: event(i).number}), go: (i) => act.to(event(i).choice),
    make: () => element('div', {}, element('span', {class: 'log-at'}), element('span', {class: 'log-text'})),
    fill: (row, i) => fill(l, row, event(i)),
  });
  root.append(l.empty);
  l.foot = makeFoot(root, act);
  return {update: (model) => update(l, model)};
}

function update(l, model) {
  const history = historyOf(model);
  const chosen = selection(model);
  const anew = history.key !== l.history?.key;
  const chain = causes(history, chosen.event);
  Object.assign(l, {history, chain, member: chosen.member, lock: model.run.kind === 'lock'});
  l.empty.hidden = history.events.length > 0;
  l.rows.update(history.events.length, chosen.event - 1, {anew, reveals: chosen.reveals});
  l.foot(model, history);
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
