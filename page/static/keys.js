// The keys. Nothing needs a mouse: pictures have keys of their own, and the choices are buttons.

import {byId, element, sync} from 'doorway/dom.js';
import {check} from 'doorway/checks.js';
import {chooseDigit, focusChoice} from 'doorway/choices.js';
import {back, faster, forward, go, play, step} from 'doorway/controls.js';
import {copyLink} from 'doorway/files.js';
import {phaseMeaning} from 'doorway/history.js';
import {length} from 'doorway/run.js';

/** Each key of the page: its names in KeyboardEvent, what it does in words, and what it does. */
const keys = [
  {names: ['s', 'Enter'], shown: 's or Enter', text: 'step: what would happen by itself', does: step},
  {names: ['b', 'ArrowLeft'], shown: 'b or ←', text: 'back', does: back},
  {names: ['f', 'ArrowRight'], shown: 'f or →', text: 'forward', does: forward},
  {names: ['p', ' '], shown: 'p or Space', text: 'play, pause', does: play},
  {names: ['Home'], shown: 'Home', text: 'to the start', does: () => go(0)},
  {names: ['End'], shown: 'End', text: 'to the end', does: () => go(length())},
  {names: [...'0123456789'], shown: '0 … 9', text: 'make the choice with this digit', does: chooseDigit},
  {names: ['j'], shown: 'j', text: 'to the next choice', does: () => focusChoice(1)},
  {names: ['k'], shown: 'k', text: 'to the choice before', does: () => focusChoice(-1)},
  {names: ['-'], shown: '-', text: 'play slower', does: () => faster(-1)},
  {names: ['+', '='], shown: '+', text: 'play faster', does: () => faster(1)},
  {names: ['a'], shown: 'a', text: 'to the algorithms', does: () => byId('algorithm').focus()},
  {names: ['r'], shown: 'r', text: 'to the runs', does: () => byId('opening').focus()},
  {names: ['c'], shown: 'c', text: 'to the challenges', does: () => byId('challenges').focus()},
  {names: ['h'], shown: 'h', text: 'show or hide the hint of a challenge', does: () => byId('hint').click()},
  {names: ['v'], shown: 'v', text: 'check every schedule', does: check},
  {names: ['l'], shown: 'l', text: 'copy the link', does: copyLink},
  {names: ['?'], shown: '?', text: 'this help', does: help},
];

/** Wires the keys. */
export function showKeys() {
  sync(byId('keys-list'), keys, ({shown}) => shown,
    ({shown, text}) => element('div', {}, element('dt', {}, element('kbd', {}, shown)), element('dd', {}, text)));
  sync(byId('words'), ['remainder', 'doorway', 'waiting', 'inside', 'exit'], (phase) => phase,
    (phase) => element('div', {}, element('dt', {}, phase), element('dd', {}, phaseMeaning(phase))));
  byId('help').onclick = help;
  addEventListener('keydown', (event) => {
    const key = keys.find(({names}) => names.includes(event.key));
    if (!key || !applies(event)) return;
    event.preventDefault();
    key.does(event.key);
  });
}

function help() {
  byId('keys').showModal();
}

/** Reports whether a key is one of the page, and not one of what has the focus. */
function applies(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || byId('keys').open) return false;
  if (document.body.dataset.state !== 'ready' || needs(event.target, event.key)) return false;
  return event.key.length > 1 || event.key === ' ' || byId('single').checked;
}

/** Reports whether what has the focus needs a key. Pictures keep those that they need from the page. */
function needs(target, key) {
  if (target.closest('select, textarea, input:not([type="checkbox"], [type="file"]), [role="dialog"]')) return true;
  if (key === ' ' || key === 'Enter') return target.closest('button, input') !== null;
  if (!key.startsWith('Arrow')) return false;
  const scroller = target.closest('[tabindex="0"]');
  return scroller !== null && scroller.scrollWidth > scroller.clientWidth;
}
