// What can be opened: algorithms, opening runs, challenges; and what is said of the run that is.

import {byId, element, set, setText, sync} from 'doorway/dom.js';
import {announce} from 'doorway/message.js';
import {model, onChange, open} from 'doorway/run.js';

// The challenges that a page without a run in its address offers at once.
const tries = ['let-two-in', 'one-loss', 'overtake'];

let catalog = {algorithms: [], openings: [], challenges: []};

/** Fills the pickers, and keeps what they show beside the run. */
export function showCatalog(list) {
  catalog = list;
  const names = list.algorithms.map(({name, group}) => ({value: name, title: name, group}));
  fill(byId('algorithm'), names);
  fill(byId('opening'), [{value: '', title: 'Choose one'}, ...list.openings.map(pick)]);
  fill(byId('challenges'), [{value: '', title: 'Choose one'}, ...list.challenges.map(pick)]);
  byId('algorithm').onchange = () => openAlgorithm(algorithm(byId('algorithm').value));
  byId('members').onchange = openMembers;
  byId('opening').onchange = () => openOne(list.openings, byId('opening').value);
  byId('challenges').onchange = () => openOne(list.challenges, byId('challenges').value);
  byId('hint').onclick = () => showHint(byId('hint-text').hidden);
  for (const name of tries) {
    const one = list.challenges.find((challenge) => challenge.name === name);
    if (one) byId('tries').append(link(one.title, one.text), ' '); // a build without the wrong variants lacks some
  }
  onChange(update);
}

function pick({name, title, group}) {
  return {value: name, title, group};
}

/** A link that opens a run. */
function link(title, text) {
  return element('button', {type: 'button', class: 'link', click: () => open(text)}, title);
}

/** Fills a picker with options, in groups in the order in which they first occur. */
function fill(select, options) {
  const groups = new Map([['', select]]);
  for (const {value, title, group = ''} of options) {
    if (!groups.has(group)) {
      groups.set(group, element('optgroup', {label: group}));
      select.append(groups.get(group));
    }
    groups.get(group).append(element('option', {value}, title));
  }
}

function algorithm(name) {
  return catalog.algorithms.find((one) => one.name === name);
}

function openAlgorithm(one, members = one.usual) {
  open(one.text.replaceAll('%d', String(members)));
}

/** Opens the algorithm with the number that was typed, or the nearest that is possible. */
function openMembers() {
  const one = algorithm(model.run.algorithm);
  const typed = Math.round(Number(byId('members').value)) || one.usual;
  openAlgorithm(one, Math.min(Math.max(typed, one.least), one.most));
}

function openOne(list, name) {
  const one = list.find((opening) => opening.name === name);
  if (one) open(one.text);
}

let shown = 0; // the key of the run whose catalog entries are shown

function update({run, view}) {
  showGoal(view.goal);
  if (run.key === shown) return;
  shown = run.key;
  showHint(false);
  showMembers(run);
  byId('algorithm').value = run.algorithm;
  byId('opening').value = catalog.openings.find(({title}) => title === run.title)?.name ?? '';
  byId('challenges').value = catalog.challenges.find(({title}) => title === run.title)?.name ?? '';
  const title = run.title || run.algorithm;
  setText(byId('title'), title);
  document.title = `${title} – doorway`;
  setText(byId('caption'), view.goal || !run.caption ? about(run) : run.caption);
  showRelated(run, view.goal);
}

/** Says what is played, if the title does not. */
function about({title, algorithm: name, source}) {
  return title ? `${name}: ${source}` : source;
}

function showMembers(run) {
  const one = algorithm(run.algorithm);
  set(byId('members'), {min: one?.least, max: one?.most});
  byId('members').disabled = !one;
  byId('members').value = String(run.names.length);
  setText(byId('members-label'), run.kind === 'nodes' ? 'Nodes' : 'Processes');
}

/** Offers the challenges and the opening runs of the same algorithm; but while one is played, not its solution. */
function showRelated(run, goal) {
  const same = (opening) => !goal && opening.text.includes(` ${run.algorithm};`) && opening.title !== run.title;
  const related = [
    ...catalog.challenges.filter(same).map((one) => ({...one, what: 'Challenge: '})),
    ...catalog.openings.filter(same).map((one) => ({...one, what: 'Run: '})),
  ];
  sync(byId('related'), related, (one) => one.what + one.name,
    (one) => link(one.what + one.title, one.text));
}

let solved = false;

function showGoal(goal) {
  byId('goal').hidden = !goal;
  if (!goal) {
    solved = false;
    return;
  }
  set(byId('goal'), {'data-solved': String(goal.solved)});
  setText(byId('goal-text'), goal.text);
  setText(byId('goal-state'), goal.solved ? 'Solved:' : 'Not yet:');
  setText(byId('goal-why'), goal.why);
  setText(byId('hint-text'), goal.hint);
  if (goal.solved && !solved) announce(`Solved. ${goal.why}`);
  ({solved} = goal);
}

function showHint(shows) {
  byId('hint-text').hidden = !shows;
  set(byId('hint'), {'aria-expanded': String(shows)});
}
