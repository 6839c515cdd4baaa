// The state of the members, the registers, and who waits for whom, as tables.
import {element, set, setText, sync} from 'doorway/dom.js';
import {phaseOf, selection} from 'doorway/history.js';

/** The state of the selected member, or of all, and who waits for whom. */
export function make(root, act) {
  const s = {act};
  s.table = element('table');
  s.waitsTitle = element('h3', {}, 'Who waits for whom');
  s.waits = element('ul', {class: 'states-waits'});
  s.back = element('button', {type: 'button', click: () => act.select(null)}, 'Show all');
  root.append(s.back, s.table, s.waitsTitle, s.waits);
  return {update: (model) => update(s, model)};
}

function update(s, model) {
  const {members} = model.view;
  const chosen = selection(model).member;
  s.back.hidden = !members[chosen];
  set(s.table, {class: members[chosen] ? 'states-table one' : 'states-table'});
  drawMembers(s, members.map((m, i) => ({...m, i})).filter((m) => !members[chosen] || m.i === chosen));
  drawWaits(s, model.view, chosen);
}

/** A row for each member, with all its fields. */
function drawMembers(s, members) {
  const make = ({i}) => {
    const name = element('button', {type: 'button', click: () => s.act.select({member: i})});
    return row(name, element('td'), element('td', {class: 'states-fields'}));
  };
  const makeField = () => element('span', {}, element('b'), ' ', element('span'));
  sync(s.table, members, ({i}) => i, make, (tr, m) => {
    const [name, phase, fields] = tr.children;
    setText(name.firstChild, m.name);
    setText(phase, m.crashed ? 'crashed' : m.phase);
    set(phase, {class: 'states-phase phase-' + phaseOf(m)});
    sync(fields, [{name: 'entries', value: m.entries}, ...m.fields], (_, k) => k, makeField, (field, f) => {
      setText(field.firstChild, f.name);
      setText(field.lastChild, f.value);
      setChanged(field, f.changed);
    });
  });
}

/** A row of a table, with a head. */
function row(head, ...cells) {
  return element('tr', {}, element('th', {scope: 'row'}, head), ...cells);
}

function setChanged(target, changed) {
  set(target, {class: changed ? 'changed' : null, title: changed ? 'changed by the last choice' : null});
}

/** For each member that waits, for whom; of the selected one, why. */
function drawWaits(s, {members, waits, blocked}, chosen) {
  const names = (of) => [...new Set(of.map((w) => members[w.for]?.name))].join(', ');
  const name = (m) => members[m].name;
  const own = waits.filter((w) => w.member === chosen);
  const lines = chosen >= 0
    ? own.map((w) => `${name(chosen)} waits for ${name(w.for)}: ${w.why}`)
    : members.map((_, i) => waits.filter((w) => w.member === i)).filter((of) => of.length > 0)
      .map((of) => `${name(of[0].member)} waits for ${names(of)}` + (of.length === 1 ? ': ' + of[0].why : ''));
  const shown = (b) => (chosen < 0 || b.member === chosen) && !waits.some((w) => w.member === b.member);
  const held = blocked.filter(shown).map((b) => b.why);
  const all = [...new Set([...lines, ...held])];
  s.waitsTitle.hidden = all.length === 0;
  sync(s.waits, all, (line) => line, () => element('li'), setText);
}

/** The registers of a lock: their values, which changed, and who wrote them last. */
export function makeRegisters(root) {
  const heads = ['register', 'value', 'written by'].map((text) => element('th', {scope: 'col'}, text));
  const table = element('table', {class: 'states-table'}, element('tr', {}, ...heads));
  const scroller = element('div', {class: 'states-scroller'}, table);
  root.append(scroller);
  return {
    update({view}) {
      scroller.hidden = view.registers.length === 0;
      sync(table, view.registers, (_, i) => i, () => row('', element('td'), element('td')), (tr, r) => {
        const [name, value, writer] = tr.children;
        setText(name, r.name);
        setChanged(setText(value, r.value), r.changed);
        setText(writer, view.members[r.writer]?.name ?? '–');
      });
    },
  };
}
