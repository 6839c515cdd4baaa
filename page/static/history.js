// What the pictures draw of the events of a run: rows, messages and phases. It grows with the run, so that a step
// costs the same after 1,000 events; it is made anew only when a step was taken back or another run opened.

let last = start([]);

/** The history of a model. Pictures that are updated with the same model share it. */
export function historyOf(model) {
  const {events, run} = model;
  let same = Math.min(last.events.length, events.length);
  while (same > 0 && last.events[same - 1] !== events[same - 1]) same--;
  if (same < last.events.length || last.key !== run.key) last = start(run.names ?? [], run.key);
  for (let i = last.events.length; i < events.length; i++) add(last, events[i], run.kind === 'lock');
  return last;
}

function start(names, key) {
  return {
    key,
    events: [],
    // What one member does at once: {row, member, first, last, sends, phases, two}, with indices of events, and messages.
    rows: [], // phases: of each member after it; two: more than one is inside then
    rowOf: [], // by the index of an event
    messages: new Map(), // by the number of the event that sent or doubled it
    spans: names.map(() => []), // of each member: {from, to, phase} in rows; to is undefined of the last
    inside: new Set(), // the members that are inside after the last event
    seen: new Set(), // the phases, and two if two were inside
    entered: [], // by member, the event by which it entered last
  };
}

/** The event with this number. */
export function eventOf(history, number) {
  return number > 0 ? history.events[number - 1] : undefined;
}

/** The row of the event with this number, or -1. */
export function rowOf(history, number) {
  return history.rowOf[number - 1] ?? -1;
}

function add(history, event, lock) {
  const {events, rows} = history;
  const index = events.push(event) - 1;
  let row = rows.at(-1);
  if (lock || !row || !follows(events[index - 1], event)) {
    row = {row: rows.length, member: event.member, first: index, last: index, sends: []};
    rows.push(row);
  }
  row.last = index;
  history.rowOf.push(row.row);
  addMessage(history, event, row);
  addPhase(history, event, row.row);
  row.phases = history.spans.map((spans) => spans.at(-1)?.phase ?? '');
  row.two = history.inside.size > 1;
  if (row.two) history.seen.add('two');
  if (event.entry) history.entered[event.member] = event;
}

/** Reports whether b is part of what a began: a node sends and enters on an event. */
function follows(a, b) {
  const result = b.action === 'sent' || b.action === 'entered' || b.action === 'passed' || b.action === 'emitted';
  return result && a.member === b.member && a.choice === b.choice;
}

function addMessage(history, event, row) {
  const {messages} = history;
  if (event.action === 'sent' || event.action === 'duplicated') {
    const copy = event.action === 'duplicated';
    const message = {number: event.number, event, copy, row: row.row, end: undefined, lost: false};
    messages.set(event.number, message);
    row.sends.push(message);
  } else if (event.action === 'delivered' || event.action === 'lost') {
    const message = messages.get(event.cause);
    if (!message || message.end !== undefined) return;
    message.end = row.row;
    message.lost = event.action === 'lost';
  }
}

function addPhase(history, event, row) {
  const spans = (history.spans[event.member] ??= []);
  const phase = event.action === 'crashed' ? 'crashed' : phaseName(event.phase);
  const before = spans.at(-1);
  if (before?.phase === phase) return;
  if (before?.phase === 'crashed' && event.action !== 'restarted') return;
  if (phase === 'inside') history.inside.add(event.member);
  else history.inside.delete(event.member);
  history.seen.add(phase);
  if (before?.from === row) spans.pop(); // it was over at once
  else if (before) before.to = row;
  spans.push({from: row, to: undefined, phase});
}

/** The messages of which something is to be seen between two rows: of one in transit, that it is sent. */
export function messagesIn(history, top, bottom) {
  return [...history.messages.values()].filter((m) => m.row <= bottom && (m.end ?? m.row) >= top);
}

/** The spans of phases of a member between two rows. */
export function spansIn(history, member, top, bottom) {
  return history.spans[member].filter((s) => s.from <= bottom && (s.to ?? Infinity) >= top);
}

/**
 * What is selected: a member, the number of an event, and that of a message in transit. reveals: pictures scroll to
 * it, as an event was selected and not what is in transit now.
 */
export function selection(model) {
  const {member = -1, event = 0, transit = 0, choice = null} = model.selected ?? {};
  const on = transit || model.view.choices.find((c) => c.do === choice)?.on || 0;
  const message = model.view.transit.find((t) => t.number === on);
  return {member: member ?? -1, event: event || message?.sent || 0, transit: on, reveals: event > 0};
}

/** The numbers of an event and of those that caused it, the latest first. */
export function causes(history, number) {
  const chain = [];
  for (let e = eventOf(history, number); e; e = eventOf(history, e.cause)) {
    chain.push(e.number);
    if (e.cause >= e.number) break;
  }
  return chain;
}

const phases = {idle: '', remainder: '', absorbed: 'absorbing', withdrawing: 'absorbing'};

/** The phase as the style sheet and the letters know it; "" outside of any request. */
export function phaseName(phase) {
  return phases[phase] ?? phase ?? '';
}

const letters = {waiting: 'W', inside: 'I', absorbing: 'A', crashed: '✕', doorway: 'D', exit: 'E', two: '‼'};

/** The letter of a phase. */
export function phaseLetter(phase) {
  return letters[phaseName(phase)] ?? '';
}

const meanings = {
  doorway: 'in the doorway: the first steps of its entry, which never wait', waiting: 'waiting to enter',
  inside: 'inside the critical section', exit: 'in its exit section: the steps by which it leaves',
  remainder: 'in its remainder section: outside the critical section, and not about to enter',
  absorbing: 'absorbing: it has given up, and takes what still comes for its request', crashed: 'crashed',
  two: 'two are inside the critical section at the same time',
};

/** What a phase means, in words. */
export function phaseMeaning(phase) {
  return meanings[phase || 'remainder'] ?? phase;
}

/** The phase of a member: one that has crashed has that. */
export function phaseOf(member) {
  return member.crashed ? 'crashed' : phaseName(member.phase);
}

/** One or two letters for a kind of message, which tell it from the others: REQUEST and REPLY are RQ and RP. */
export function kindLetters(kinds, kind) {
  const others = kinds.filter((k) => k !== kind && k[0] === kind[0]);
  if (others.length === 0) return kind.slice(0, 1);
  for (let i = 1; i < kind.length; i++) {
    if (others.every((k) => k[i] !== kind[i])) return kind[0] + kind[i];
  }
  return kind.slice(0, 2);
}

/** The class that gives a kind of message its color. */
export function kindClass(run, kind) {
  return 'kind-' + kindIndex(run, kind);
}

/** The index of a kind among shapes and colors, of which there are six. */
export function kindIndex(run, kind) {
  return Math.max(0, (run.kinds ?? []).indexOf(kind)) % 6;
}

/** The names that are not false, as the attribute class. */
export function classes(...names) {
  return names.filter(Boolean).join(' ');
}
