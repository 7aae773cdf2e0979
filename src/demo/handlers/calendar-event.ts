/** Calendar events as vzdump, replication and sync jobs are scheduled with, in the forms that occur in practice. */

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WORDS: Readonly<Record<string, string>> = {
  minutely: '*:*',
  hourly: '*:00',
  daily: '00:00',
  weekly: 'mon 00:00',
};

interface Event {
  readonly weekdays: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly minutes: ReadonlySet<number>;
}

/**
 * The next `count` times (epoch seconds) after `after` at which the event is due; undefined when the text is no event
 * of the supported forms: `[weekdays] [hours:]minutes`, lists, `..` ranges and `/` steps, and the usual words.
 *
 * @param offset seconds that the clock which the event is meant for is ahead of UTC at a moment
 */
export function nextEvents(
  text: string,
  after: number,
  count: number,
  offset: (epochSeconds: number) => number,
): number[] | undefined {
  const event = parse(WORDS[text.trim()] ?? text.trim());
  if (event === undefined) return undefined;
  const times: number[] = [];
  const end = after + 400 * 86_400;
  for (let time = after - (after % 60) + 60; time < end && times.length < count; time += 60) {
    const date = new Date((time + offset(time)) * 1000);
    if (!event.weekdays.has(date.getUTCDay()) || !event.hours.has(date.getUTCHours())) {
      // Nothing before the next full hour can match.
      time += (59 - date.getUTCMinutes()) * 60;
    } else if (event.minutes.has(date.getUTCMinutes())) {
      times.push(time);
    }
  }
  return times;
}

function parse(text: string): Event | undefined {
  const parts = text.toLowerCase().split(/\s+/);
  const clock = parts.pop() ?? '';
  const onlyDays = parts.length === 0 && /^[a-z]/.test(clock);
  const days = onlyDays ? clock : (parts.pop() ?? '*');
  if (parts.length > 0) return undefined;
  const [left, right] = (onlyDays ? '00:00' : clock).split(':');
  const weekdays = days === '*' ? range(0, 6) : parseDays(days);
  const hours = right === undefined ? range(0, 23) : parseNumbers(left ?? '', 23);
  const minutes = parseNumbers(right ?? left ?? '', 59);
  return weekdays === undefined || hours === undefined || minutes === undefined ? undefined : { weekdays, hours, minutes };
}

function range(low: number, high: number, step = 1): Set<number> {
  const numbers = new Set<number>();
  for (let value = low; value <= high; value += step) numbers.add(value);
  return numbers;
}

function parseDays(text: string): Set<number> | undefined {
  const days = new Set<number>();
  for (const part of text.split(',')) {
    const [from, to] = part.split('..').map((name) => WEEKDAYS.indexOf(name.slice(0, 3)));
    if (from === undefined || from < 0 || to === -1) return undefined;
    const length = to === undefined ? 0 : (to - from + 7) % 7;
    for (let offset = 0; offset <= length; offset++) days.add((from + offset) % 7);
  }
  return days;
}

function parseNumbers(text: string, highest: number): Set<number> | undefined {
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(?:\*|(\d{1,2})(?:\.\.(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part);
    if (match === null) return undefined;
    const low = Number(match[1] ?? 0);
    const step = match[3] === undefined ? 1 : Number(match[3]);
    const open = match[1] === undefined || (match[3] !== undefined && match[2] === undefined);
    const high = match[2] === undefined ? (open ? highest : low) : Number(match[2]);
    if (high > highest || step < 1) return undefined;
    for (const value of range(low, high, step)) numbers.add(value);
  }
  return numbers;
}
