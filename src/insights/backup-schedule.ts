const HOUR = 3_600;
const DAY = 86_400;

const WORDS: Readonly<Record<string, string>> = {
  minutely: '*:*',
  hourly: '*:00',
  daily: '00:00',
  weekly: 'mon 00:00',
  monthly: '*-*-01 00:00',
  quarterly: '*-01,04,07,10-01 00:00',
  'semi-annually': '*-01,07-01 00:00',
  semiannually: '*-01,07-01 00:00',
  yearly: '*-01-01 00:00',
  annually: '*-01-01 00:00',
};

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Long enough that every month and weekday pattern shows its longest pause. */
const SAMPLED_DAYS = 3 * 366;
/** 2024-01-01, in days since the epoch: the sample holds a leap year. */
const FIRST_DAY = 19_723;

/**
 * The longest pause between two runs of a backup schedule, in seconds: `02:00`, `sun 01:00`, `mon..fri 21:30`,
 * `*-*-1 04:00`, `0/6:00`, `daily`, ... Undefined for what is not understood, and for what runs once only.
 */
export function longestPause(schedule: string): number | undefined {
  const given = schedule.trim().toLowerCase();
  const parts = (WORDS[given] ?? given).split(/\s+/);
  const clock = parts.findLast((part) => /[:\d*]/.test(part[0] ?? '') && !part.includes('-'));
  const date = parts.find((part) => /^[\d*]/.test(part) && part.includes('-'));
  const days = parts.find((part) => /^[a-z]/.test(part));
  if ([clock, date, days].filter((part) => part !== undefined).length !== parts.length) return undefined;
  const times = clock === undefined ? [0] : timesOf(clock);
  const weekdays = days === undefined ? new Set(WEEKDAYS.keys()) : weekdaysOf(days);
  const isDate = date === undefined ? () => true : dateTest(date);
  const [first] = times ?? [];
  const last = times?.at(-1);
  if (times === undefined || weekdays === undefined || isDate === undefined || first === undefined || last === undefined)
    return undefined;
  let pause = Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  let before: number | undefined;
  for (let day = FIRST_DAY; day < FIRST_DAY + SAMPLED_DAYS; day += 1) {
    const at = new Date(day * DAY * 1000);
    if (!weekdays.has(at.getUTCDay()) || !isDate(at)) continue;
    if (before !== undefined) pause = Math.max(pause, (day - before) * DAY + first - last);
    before = day;
  }
  return pause > 0 ? pause : undefined;
}

/** Seconds of the day, sorted: `02:00`, `8..17:0/15`, `22,23:30:00`; without a colon the minutes of every hour. */
function timesOf(clock: string): readonly number[] | undefined {
  const parts = clock.split(':');
  if (parts.length > 3) return undefined;
  const hours = parts.length === 1 ? numbersOf('*', 0, 23) : numbersOf(parts[0] ?? '', 0, 23);
  const minutes = numbersOf(parts.length === 1 ? (parts[0] ?? '') : (parts[1] ?? ''), 0, 59);
  if (hours === undefined || minutes === undefined) return undefined;
  return [...hours].flatMap((hour) => [...minutes].map((minute) => hour * HOUR + minute * 60)).sort((a, b) => a - b);
}

function dateTest(text: string): ((at: Date) => boolean) | undefined {
  const parts = text.split('-');
  const [year, month, day] = parts.length === 3 ? parts : ['*', ...parts];
  const months = numbersOf(month ?? '', 1, 12);
  const monthDays = numbersOf(day ?? '', 1, 31);
  if (parts.length > 3 || year !== '*' || months === undefined || monthDays === undefined) return undefined;
  return (at) => months.has(at.getUTCMonth() + 1) && monthDays.has(at.getUTCDate());
}

function weekdaysOf(text: string): ReadonlySet<number> | undefined {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const [from, to] = part.split('..').map((name) => WEEKDAYS.indexOf(name.slice(0, 3)));
    if (from === undefined || from < 0 || to === -1) return undefined;
    for (let offset = 0; offset <= (to === undefined ? 0 : (to - from + 7) % 7); offset += 1) found.add((from + offset) % 7);
  }
  return found;
}

/** `*`, `5`, `1,15`, `8..17`, `0/15`, `*\/2`: the numbers between `low` and `high` it stands for. */
function numbersOf(text: string, low: number, high: number): ReadonlySet<number> | undefined {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(?:(\*)|(\d{1,2})(?:\.\.(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part);
    if (match === null) return undefined;
    const [, star, from, to, step] = match;
    const start = star === undefined ? Number(from) : low;
    const end = star !== undefined || (to === undefined && step !== undefined) ? high : Number(to ?? from);
    if (start < low || end > high || Number(step ?? 1) < 1) return undefined;
    for (let value = start; value <= end; value += Number(step ?? 1)) found.add(value);
  }
  return found;
}
