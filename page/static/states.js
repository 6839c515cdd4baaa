// The state of the members, the registers, and who waits for whom, as tables.
import { element, set, setText, sync } from 'doorway/dom.js';
import { phaseOf, selection } from 'doorway/history.js';

/** The state of the selected member, or of all, and who waits for whom. */
export function make(root, act) {
  const s = { act };
  s.table = element('table', { class: 'states-table' });
  s.scroller = element('div', { class: 'states-scroller', tabindex: 0, role: 'region', 'aria-label': 'State of the members' }, s.table);
  s.waitsTitle = element('h3', {}, 'Who waits for whom');
  s.waits = element('ul', { class: 'states-waits' });
  root.append(s.scroller, s.waitsTitle, s.waits);
  return { update: (model) => update(s, model) };
}

function update(s, model) {
  const { members, waits } = model.view;
  const chosen = selection(model).member;
  drawMembers(s, members, chosen);
  const blocked = model.view.blocked.filter((b) => !waits.some((w) => w.member === b.member && w.why === b.why));
  const lines = [...waits.map((w) => ({ member: w.member, text: `${members[w.member].name} waits for ${members[w.for]?.name ?? '?'}: ${w.why}` })), ...blocked.map((b) => ({ member: b.member, text: b.why }))];
  s.waitsTitle.hidden = lines.length === 0;
  sync(s.waits, lines, (l) => l.text, () => element('li'), (item, l) => {
    setText(item, l.text);
    set(item, { class: l.member === chosen ? 'mine' : null });
  });
}

/** A row for each member and a column for each field; of the selected one, a row for each field. */
function drawMembers(s, members, chosen) {
  const one = members[chosen];
  const names = [...new Set(members.flatMap((m) => m.fields.map((f) => f.name)))];
  const value = (m, name) => m.fields.find((f) => f.name === name);
  const phase = (m) => ({ value: m.crashed ? 'crashed' : m.phase, phase: phaseOf(m) });
  const head = one ? [one.name, ''] : ['', 'phase', 'entries', ...names];
  const rows = one
    ? [['phase', phase(one)], ['entries', { value: String(one.entries) }], ...one.fields.map((f) => [f.name, f])]
    : members.map((m) => [m.name, phase(m), { value: String(m.entries) }, ...names.map((name) => value(m, name))]);
  drawTable(s, [head, ...rows], one ? (_, i) => ['top', 'phase', 'entries'][i] ?? one.fields[i - 3].name : (_, i) => i, one ? null : (i) => s.act.select({ member: i - 1 }));
  set(s.table, { class: one ? 'states-table one' : 'states-table' });
}

function drawTable(s, rows, key, pick) {
  const kind = pick ? 'all ' : 'one ';
  sync(s.table, rows, (r, i) => kind + key(r, i), () => element('tr'), (tr, row, i) => {
    sync(tr, row, (_, k) => k, (_, k) => makeCell(i, k, pick), (cell, field, k) => fillCell(cell, field, i === 0 || k === 0));
  });
}

function makeCell(i, k, pick) {
  if (i > 0 && k > 0) return element('td');
  const cell = element('th', { scope: i === 0 ? 'col' : 'row' });
  if (i > 0 && pick) cell.append(element('button', { type: 'button', click: () => pick(i) }));
  return cell;
}

function fillCell(cell, field, head) {
  if (head) {
    setText(cell.firstElementChild ?? cell, field);
    return;
  }
  setText(cell, field?.value ?? '');
  set(cell, { class: (field?.changed ? 'changed ' : '') + (field?.phase ? 'phase-' + field.phase : '') || null, title: field?.changed ? 'changed by the last choice' : null });
}

/** The registers of a lock: their values, which changed, and who wrote them last. */
export function makeRegisters(root) {
  const table = element('table', { class: 'states-table' }, element('tr', {}, ...['register', 'value', 'written by'].map((t) => element('th', { scope: 'col' }, t))));
  const scroller = element('div', { class: 'states-scroller', tabindex: 0, role: 'region', 'aria-label': 'Registers' }, table);
  root.append(scroller);
  return {
    update({ view }) {
      scroller.hidden = view.registers.length === 0;
      sync(table, view.registers, (r) => r.name, () => element('tr', {}, element('th', { scope: 'row' }), element('td'), element('td')), (tr, r) => {
        const [name, value, writer] = tr.children;
        setText(name, r.name);
        setText(value, r.value);
        set(value, { class: r.changed ? 'changed' : null, title: r.changed ? 'changed by the last choice' : null });
        setText(writer, view.members[r.writer]?.name ?? '–');
      });
    },
  };
}
