// The small menu of what can be done with a node or a message of the network: real buttons, beside the thing.
import {element, set, setText, sync} from 'doorway/dom.js';

export function makeMenu(parent, act) {
  const m = {act, open: null};
  m.title = element('p', {class: 'menu-title'});
  m.list = element('div', {class: 'menu-list'});
  m.close = element('button', {type: 'button', class: 'menu-close', click: () => m.box.togglePopover(false)}, 'Close');
  m.box = element('div',
    {class: 'menu', role: 'dialog', popover: 'auto', keydown: (e) => keys(m, e), toggle: () => closed(m)}, m.close, m.title, m.list);
  parent.append(m.box);
  return {
    show: (what) => show(m, what),
    /** Brings the open menu up to date; find returns what it is about, or undefined if that is gone. */
    update: (find) => m.box.matches(':popover-open') && refresh(m, find(m.open.key)),
  };
}

/** Opens the menu of {key, title, choices, from, near}. The focus goes back to from, or to near() if that is gone. */
function show(m, what) {
  m.open = what;
  refresh(m, what);
  what.from.focus({preventScroll: true}); // to which the browser then returns
  m.box.togglePopover(true);
  const thing = what.from.getBoundingClientRect();
  const [wide, high] = [m.box.offsetWidth, m.box.offsetHeight];
  const below = thing.bottom + 4 + high < innerHeight;
  m.box.style.left = Math.max(4, Math.min(innerWidth - wide - 4, thing.left + (thing.width - wide) / 2)) + 'px';
  m.box.style.top = Math.max(4, below ? thing.bottom + 4 : thing.top - high - 4) + 'px';
  (m.list.querySelector('button') ?? m.close).focus({preventScroll: true});
}

function refresh(m, what) {
  if (!what) {
    m.box.togglePopover(false);
    return;
  }
  set(m.box, {'aria-label': what.title});
  setText(m.title, what.choices.length > 0 ? what.title : what.title + ': nothing can be done with it now.');
  const make = (c) => element('button', {type: 'button', 'data-do': c.do, click: () => choose(m, c)});
  sync(m.list, what.choices, (c) => c.do, make, (button, c) => {
    setText(button, c.text);
    set(button, {'data-group': c.group});
  });
}

function choose(m, choice) {
  m.act.choose(choice.do); // it closes the menu if the thing is gone
  m.box.togglePopover(false);
}

/** Gives the focus to what is near the thing, if that is gone. */
function closed(m) {
  if (document.activeElement === document.body && !m.open.from.isConnected) m.open.near()?.focus({preventScroll: true});
}

function keys(m, e) {
  const buttons = [...m.box.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement);
  const next = {ArrowDown: at + 1, ArrowUp: at - 1}[e.key];
  if (next !== undefined) buttons[(next + buttons.length) % buttons.length].focus();
  else if (e.key.length > 1 || e.key === ' ') return;
  if (e.key.length > 1) e.preventDefault();
  e.stopPropagation();
}
