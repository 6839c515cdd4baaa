// What can be opened: algorithms, opening runs, challenges; and what is said of the run that is.

import {byId, element, set, setText, sync} from 'doorway/dom.js';
import {announce, refuse} from 'doorway/message.js';
import {model, onChange, open} from 'doorway/run.js';

// The challenges that a page without a run in its address offers at once.
const tries = ['let-two-in', 'one-loss', 'overtake'];

let catalog = {algorithms: [], openings: [], challenges: []};

/** Fills the pickers, and keeps what they show beside the run. */
export function showCatalog(list) {
  catalog = list;
  byId('algorithms').append(...list.algorithms.map(({name, group, source}) =>
    element('option', {value: name, label: `${name}, ${group}: ${source}`})));
  for (const [id, all] of Object.entries(pickers())) {
    fill(byId(id), [{name: '', title: 'Choose one'}, ...all]);
    byId(id).onchange = () => {
      const one = all.find(({name}) => name === byId(id).value);
      if (one) open(one.text);
    };
  }
  set(byId('algorithm'), {change: search, focus: showAlgorithm, blur: showAlgorithm});
  byId('members').onchange = openMembers;
  byId('hint').onclick = () => showHint(byId('hint-text').hidden);
  for (const name of tries) {
    const one = list.challenges.find((challenge) => challenge.name === name);
    if (one) byId('tries').append(link(one.title, one.text), ' '); // a build without the wrong variants lacks some
  }
  onChange(update);
}

/** The runs that pickers offer, by the ids of those. */
function pickers() {
  return {opening: catalog.openings, challenges: catalog.challenges};
}

/** A link that opens a run. */
function link(title, text) {
  return element('button', {type: 'button', class: 'link', click: () => open(text)}, title);
}

/** Fills a picker with options, in groups in the order in which they first occur. */
function fill(select, options) {
  const groups = new Map([['', select]]);
  for (const {name, title, group = ''} of options) {
    if (!groups.has(group)) {
      groups.set(group, element('optgroup', {label: group}));
      select.append(groups.get(group));
    }
    groups.get(group).append(element('option', {value: name}, title));
  }
}

function algorithm(name) {
  return catalog.algorithms.find((one) => one.name === name);
}

/** Opens the algorithm of that name, or the first that has it in its own. */
function search() {
  const typed = byId('algorithm').value.trim();
  const one = algorithm(typed) ?? catalog.algorithms.find(({name}) => name.includes(typed));
  if (typed && one) openAlgorithm(one);
  else if (typed) refuse(`There is no algorithm ${typed}.`);
}

/** Shows the name of what is played; while the field has the focus, as a placeholder only, or the list would begin with it. */
function showAlgorithm() {
  const field = set(byId('algorithm'), {placeholder: model.run.algorithm});
  field.value = field === document.activeElement ? '' : model.run.algorithm;
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

let shown = 0; // the key of the run whose catalog entries are shown

function update({run, view}) {
  showGoal(view.goal);
  if (run.key === shown) return;
  shown = run.key;
  showHint(false);
  showMembers(run);
  showAlgorithm();
  for (const [id, all] of Object.entries(pickers())) {
    byId(id).value = all.find(({title}) => title === run.title)?.name ?? '';
  }
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
