// Every schedule, checked by the same program in a Worker.

import {byId, element, set, setText, sync} from 'doorway/dom.js';
import {announce} from 'doorway/message.js';
import {model, onChange, open, text} from 'doorway/run.js';
import {showTab} from 'doorway/panes.js';

let worker = null;
let script = ''; // the address of the Worker's program
let program = null; // the compiled module
let said = ''; // what is said of the check that runs, or was the last
let checked = null; // {name, checks}: the run whose verdicts there are; null: there are none

/** Wires the check of every schedule. */
export function showChecks({module, texts}) {
  program = module;
  script = URL.createObjectURL(new Blob([texts['wasm_exec.js'], '\n', texts['worker.js']], {type: 'text/javascript'}));
  byId('check').onclick = check;
  byId('cancel').onclick = () => {
    end();
    say('Cancelled.');
  };
  said = byId('progress').textContent;
  onChange(showSaid);
}

/** Starts a check; one that runs is cancelled. */
export async function check() {
  end();
  const {algorithm, names, kind, checks} = model.run;
  const of = {checks, name: `${algorithm}, ${names.length} ${kind === 'nodes' ? 'nodes' : 'processes'}`};
  const asked = text();
  showTab('check');
  byId('details').scrollIntoView();
  byId('cancel').hidden = false;
  checked = null;
  say(`Checking ${of.name}.`);
  sync(byId('checked'), [], () => '');
  const started = new Worker(script);
  worker = started;
  started.onmessage = ({data}) => receive(data, of);
  started.onerror = (event) => receive({broken: event.message}, of);
  started.postMessage({module: await program, text: asked});
}

function receive(data, of) {
  if (data.doing) {
    say(`Checking ${of.name}: ${data.doing}, ${data.states.toLocaleString('en')} states.`);
    return;
  }
  end();
  const why = data.broken ?? data.checked.panic ?? data.checked.error;
  if (why) say(`The check of ${of.name} gave no verdict: ${why}`);
  else showChecked(data.checked, of);
}

/** Ends the Worker at once. */
function end() {
  worker?.terminate();
  worker = null;
  if (document.activeElement === byId('cancel')) byId('check').focus();
  byId('cancel').hidden = true;
}

function say(sentence) {
  said = sentence;
  showSaid(model);
}

/** Shows verdicts only beside a run that they are of. */
function showSaid({run}) {
  const others = checked && checked.checks !== run.checks;
  byId('checked').hidden = others;
  byId('led').hidden = others || !document.querySelector('#checked [data-status="fails"]');
  setText(byId('progress'), others ? `This run is not checked. The verdicts of ${checked.name} are here again when that is open.` : said);
}

const words = {holds: '✓ holds', fails: '✕ fails', 'not decided': '? not decided'};

function showChecked({verdicts, states, seconds, covers}, of) {
  const fails = verdicts.filter(({status}) => status === 'fails').length;
  announce(fails > 0 ? `Checked: ${fails} of ${verdicts.length} fail.` : 'Checked: all hold that are known.');
  sync(byId('checked'), verdicts, (_, index) => index, makeProperty, updateProperty);
  checked = of;
  say(`${of.name}: ${states.toLocaleString('en')} states in ${seconds.toFixed(1)} s; ${covers}.`);
}

function makeProperty() {
  return element('div', {class: 'property'}, element('strong'), ' ', element('span', {class: 'status'}), element('p'),
    element('button', {type: 'button'}));
}

function updateProperty(row, {name, status, note, text: found, shortest}) {
  const [title, badge, why, button] = row.children;
  set(row, {'data-status': status});
  setText(title, name);
  setText(badge, words[status] ?? status);
  setText(why, shortest ? `${note}; shortest: ${shortest} steps` : note);
  button.hidden = !found;
  set(button, {'data-text': found, 'aria-label': `Open the counterexample of ${name}`, click: () => openCounterexample(found)});
  setText(button, 'Open the counterexample');
}

function openCounterexample(found) {
  open(found);
  announce('The counterexample is open, at its last step.');
  byId('stage').scrollIntoView();
}
