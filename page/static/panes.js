// The pictures of a run, those of its kind, and the tabs beside them.

import {byId, set} from 'doorway/dom.js';
import {announce} from 'doorway/message.js';
import {go, make} from 'doorway/controls.js';
import {onChange, onSelect, select} from 'doorway/run.js';
import * as diagram from 'doorway/diagram.js';
import * as network from 'doorway/network.js';
import * as lanes from 'doorway/lanes.js';
import * as source from 'doorway/source.js';
import * as states from 'doorway/states.js';
import * as log from 'doorway/log.js';

const act = {choose: make, to: go, select, announce};

/** Shows the pictures. */
export function showPanes() {
  const of = (picture, id) => picture.make(byId(id), act);
  const all = [of(states, 'states'), of(log, 'log')];
  const kinds = {
    nodes: [of(network, 'network'), of(diagram, 'diagram'), log.makeCosts(byId('costs'))],
    lock: [of(lanes, 'lanes'), of(source, 'source'), states.makeRegisters(byId('registers'))],
  };
  const panes = document.querySelectorAll('#stage [data-kind]');
  const draw = (model) => {
    for (const picture of [...kinds[model.run.kind], ...all]) picture.update(model);
  };
  onSelect(draw);
  onChange((model) => {
    for (const pane of panes) pane.hidden = pane.dataset.kind !== model.run.kind;
    draw(model);
  });
  showTabs();
}

const tabs = ['state', 'log', 'check'];

function showTabs() {
  tabs.forEach((name, index) => {
    const tab = byId('tab-' + name);
    tab.onclick = () => showTab(name);
    tab.onkeydown = ({key}) => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[key];
      if (!by) return;
      const other = tabs[(index + by + tabs.length) % tabs.length];
      showTab(other);
      byId('tab-' + other).focus();
    };
  });
}

/** Shows one of the tabs: state, log or check. */
export function showTab(name) {
  for (const one of tabs) {
    const shows = one === name;
    set(byId('tab-' + one), {'aria-selected': String(shows), tabindex: shows ? null : '-1'});
    byId('panel-' + one).hidden = !shows;
  }
}
