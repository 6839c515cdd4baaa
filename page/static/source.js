// The source of a lock, file below file, with the place of each process beside its line, what it does next, and whether it can.
import {element, set, setText, sync} from 'doorway/dom.js';
import {classes, historyOf, phaseMeaning, phaseOf, selection} from 'doorway/history.js';

export function make(root, act) {
  const s = {act, model: null, key: undefined, panels: new Map(), places: []};
  s.next = element('ul', {class: 'source-next', 'aria-label': 'What each process does next'});
  s.text = element('div', {class: 'source-text', id: 'source-text', role: 'region', 'aria-label': 'Source files', tabindex: 0});
  root.append(s.next, s.text);
  return {update: (model) => update(s, model)};
}

function update(s, model) {
  s.model = model;
  const {files = [], key} = model.run;
  if (key !== s.key) {
    Object.assign(s, {key, panels: new Map(files.map((file) => [file.path, makeFile(file)])), places: []});
    const none = element('p', {class: 'pictures-empty'}, 'The source is not at hand.');
    s.text.replaceChildren(...(files.length > 0 ? s.panels.values() : [none]));
  }
  set(s.text, {style: `--members:${model.view.members.length}`});
  const places = placesOf(model, historyOf(model));
  const moved = movedTo(places, s.places);
  s.places = places;
  drawNext(s);
  drawPlaces(s);
  if (moved) reveal(s, lineOf(s, moved));
}

/** The line of a place, if its file is at hand. */
function lineOf(s, {path, line}) {
  return line ? s.panels.get(path)?.children[line] : undefined; // behind the path of the file
}

/** Where each process is: what it does next, or by which step it has entered if it is inside. */
function placesOf({view}, {entered}) {
  return view.members.map((m, i) => {
    const inside = m.phase === 'inside' && entered[i];
    const {path, line} = inside?.line ? inside : m;
    return {...m, i, path, line, key: `${path}:${line}`};
  });
}

/** The place of the process that moved last, or of one that is inside if several did or it has none; or undefined. */
function movedTo(places, before) {
  const moved = places.filter((p, i) => p.key !== before[i]?.key);
  if (moved.length === 1 && moved[0].line) return moved[0];
  const shown = (moved.length === 1 ? places : moved).filter((p) => p.line);
  return shown.find((p) => p.phase === 'inside') ?? shown[0];
}

function drawNext(s) {
  const chosen = selection(s.model);
  sync(s.next, s.model.view.members, (_, i) => i, (_, i) => {
    const name = element('button', {type: 'button', click: () => s.act.select({member: i})});
    return element('li', {}, name, element('span'), element('code'), element('span'));
  }, (item, m, i) => {
    const [name, phase, next, holds] = item.children;
    setText(name, m.name);
    set(name, {class: `who who-${i % 6}`, 'aria-pressed': String(chosen.member === i)});
    setText(phase, m.phase);
    set(phase, {class: 'source-phase phase-' + phaseOf(m), title: phaseMeaning(phaseOf(m))});
    setText(next, m.next ?? '');
    setText(holds, !m.awaits ? '' : m.holds ? '✓ holds' : '✕ does not hold');
    set(holds, {class: 'source-holds ' + (m.holds ? 'holds' : 'blocked')});
  });
}

function makeFile({path, text}) {
  const panel = element('div', {class: 'source-lines'}, element('h3', {title: path}, path.split('/').slice(-2).join('/')));
  let inside = false;
  text.replace(/\n$/, '').split('\n').forEach((line, i) => {
    const depth = /^\t*/.exec(line)[0].length; // a line that is wrapped hangs below its beginning
    line = line.slice(depth);
    const at = inside ? 0 : commentAt(line);
    const code = element('code', {style: `--depth:${depth}`}, line.slice(0, at));
    if (at < line.length) code.append(element('span', {class: 'source-comment'}, line.slice(at)));
    const opens = line.lastIndexOf('/*');
    inside = inside ? !line.includes('*/') : opens === at && line.indexOf('*/', opens) < 0;
    const number = element('span', {class: 'source-number'}, String(i + 1));
    panel.append(element('div', {class: 'source-line'}, element('span', {class: 'source-who'}), number, code));
  });
  return panel;
}

/** Where the comment of a line of Go begins, or the end of the line. */
function commentAt(line) {
  const found = /^(?:[^"`'/]|"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*'|\/(?![/*]))*/.exec(line)[0].length;
  return line.startsWith('//', found) || line.startsWith('/*', found) ? found : line.length;
}

function drawPlaces(s) {
  const here = new Map();
  for (const p of s.places) {
    const line = lineOf(s, p);
    if (line) here.set(line, [...(here.get(line) ?? []), p]);
  }
  for (const line of s.text.querySelectorAll('.here')) {
    if (!here.has(line)) drawWho(line, []);
  }
  for (const [line, members] of here) drawWho(line, members);
}

function drawWho(line, members) {
  set(line, {class: members.length > 0 ? 'source-line here' : 'source-line'});
  sync(line.firstChild, members, (m) => m.i, () => element('span'), (mark, m) => {
    setText(mark, m.name);
    const blocked = m.awaits && !m.holds && 'blocked';
    set(mark, {class: classes('who', 'who-' + (m.i % 6), blocked), title: `${m.name}: ${m.next ?? ''}`});
  });
}

function reveal(s, line) {
  if (!line) return;
  const top = line.offsetTop;
  const {scrollTop, clientHeight} = s.text;
  const seen = top >= scrollTop + 24 && top <= scrollTop + clientHeight - 48;
  if (!seen) s.text.scrollTop = Math.max(0, top - clientHeight / 3);
}
