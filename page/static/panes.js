// The pictures of a run, those of its kind, and the tabs beside them.

import {byId, set} from 'doorway/dom.js';
import {go, make} from 'doorway/controls.js';
import {model, onChange, onSelect, select} from 'doorway/run.js';
import * as diagram from 'doorway/diagram.js';
import * as network from 'doorway/network.js';
import * as lanes from 'doorway/lanes.js';
import * as source from 'doorway/source.js';
import * as states from 'doorway/states.js';
import * as log from 'doorway/log.js';

const tabs = ['state', 'log', 'check'];

const act = {choose: make, to: go, select};

let redraw; // the pictures, of which some may have come into sight

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
  redraw = draw;
  onSelect(draw);
  onChange((model) => {
    for (const pane of panes) pane.hidden = pane.dataset.kind !== model.run.kind;
    draw(model);
  });
  for (const name of tabs) byId('tab-' + name).onclick = () => showTab(name);
}

/** Shows one of the tabs: state, log or check. They are buttons, so that arrows go back and forward there as well. */
export function showTab(name) {
  for (const one of tabs) {
    const shows = one === name;
    set(byId('tab-' + one), {'aria-pressed': String(shows)});
    byId('panel-' + one).hidden = !shows;
  }
  redraw(model);
}
