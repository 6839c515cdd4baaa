// All that can happen now, as buttons: what would happen by itself first. Below it, who cannot do anything, and why.

import {byId, element, set, setText, sync} from 'doorway/dom.js';
import {make} from 'doorway/controls.js';
import {model, next, onChange, select} from 'doorway/run.js';

const groups = [
  {name: 'next', title: {nodes: 'By itself, next', lock: 'The next step of each process'}},
  {name: 'deliver', title: {nodes: 'Out of turn', lock: 'Out of turn'}},
  {name: 'user', title: {nodes: 'Users', lock: 'Users'}},
  {name: 'fault', title: {nodes: 'Faults', lock: 'Faults'}},
];

/** Shows the choices. */
export function showChoices() {
  onChange(({run, view}) => {
    const focused = position();
    setText(byId('side-note'), note(view));
    const shown = groups.filter((group) => view.choices.some((choice) => choice.group === group.name));
    sync(byId('choices'), shown, (group) => group.name, makeGroup, (section, group) => {
      setText(section.firstChild, group.title[run.kind]);
      const choices = view.choices.filter((choice) => choice.group === group.name);
      sync(section.lastChild, clusters(choices), ({key}) => key, makeCluster, updateCluster);
    });
    number({run, view});
    if (focused >= 0) refocus(focused);
    showBlocked(view);
  });
}

/** Puts the choices about one message together: what they all begin with is said once. */
function clusters(choices) {
  const found = new Map();
  for (const choice of choices) {
    const key = choice.on > 0 ? 'message ' + choice.on : choice.do;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(choice);
  }
  return [...found].map(([key, about]) => ({key, choices: about, head: about.length > 1 ? beginning(about) : ''}));
}

/** The words that the texts of choices begin with. */
function beginning(choices) {
  const texts = choices.map(({text}) => text.split(' '));
  const differ = texts[0].findIndex((word, index) => texts.some((words) => words[index] !== word));
  return texts[0].slice(0, differ).join(' ');
}

function note({choices, verdict}) {
  if (['violated', 'stuck'].includes(verdict.kind)) return 'Back, or Home and then Forward, shows what led here.';
  if (next()) return 'You are the scheduler: choose what happens, or press Step.';
  return choices.length > 0 ? 'Nothing happens by itself now: choose.' : 'Nothing can happen any more: go back, or open another run.';
}

/** Makes the choice with this digit on its button. */
export function chooseDigit(digit) {
  const button = buttons().find((one) => one.getAttribute('aria-keyshortcuts') === digit);
  if (button) make(button.dataset.do);
}

/** Moves the focus among the choices: by 1 to the next one, by -1 to the one before. */
export function focusChoice(by) {
  const all = buttons();
  const at = position();
  if (all.length > 0) all[at < 0 ? 0 : (at + by + all.length) % all.length].focus();
}

function buttons() {
  return [...byId('choices').querySelectorAll('button')];
}

function position() {
  return buttons().indexOf(document.activeElement);
}

function makeGroup(group) {
  return element('section', {'data-group': group.name}, element('h3'), element('div', {class: 'list'}));
}

function makeCluster() {
  return element('div', {class: 'cluster'}, element('span', {class: 'head', 'aria-hidden': 'true'}));
}

function updateCluster(row, {head, choices}) {
  setText(row.firstChild, head);
  sync(row, choices, (choice) => choice.do, makeChoice, (button, {text}) => {
    setText(button.children[1], head && head.trim() + ' '); // which is seen once, at the head of the cluster
    setText(button.lastChild, text.slice(head.length).trim());
  });
}

function makeChoice(choice) {
  const show = () => select({choice: choice.do});
  const hide = () => {
    if (model.selected?.choice === choice.do) select(null);
  };
  return element('button', {
    type: 'button', 'data-do': choice.do, 'data-group': choice.group,
    click: () => make(choice.do), pointerenter: show, pointerleave: hide, focus: show, blur: hide,
  }, element('kbd', {'aria-hidden': 'true'}), element('span', {class: 'unseen'}), element('span'));
}

/** Writes on buttons the digits that choose them: of a lock, the process; of nodes, 1 to 9 and then 0 in their order. */
function number({run, view}) {
  buttons().forEach((button, index) => {
    const place = run.kind === 'lock' ? button.dataset.do : '1234567890'[index];
    const digit = place?.length === 1 ? place : '';
    setText(button.firstChild, digit);
    set(button, {'aria-keyshortcuts': digit || null, 'data-next': button.dataset.do === view.next});
  });
}

/** Gives the focus to the choice at the position of the one that had it and is gone; not to a fault, which none may want. */
function refocus(index) {
  if (position() >= 0) return;
  const all = buttons();
  const button = all[Math.min(index, all.length - 1)];
  const wanted = button && button.dataset.group !== 'fault' ? button : byId('step');
  (wanted.disabled ? byId('back') : wanted).focus();
}

function showBlocked({blocked}) {
  const root = byId('blocked');
  root.hidden = blocked.length === 0;
  sync(root, blocked.length > 0 ? ['list'] : [], () => 'list',
    () => element('section', {}, element('h3', {}, 'Cannot happen yet'), element('ul')),
    // By position, as two messages that are alike are kept back for the same reason.
    (section) => sync(section.lastChild, blocked, (block, index) => index, () => element('li'),
      (item, {why, until}) => setText(item, until ? `${why} (until ${until})` : why)));
}
