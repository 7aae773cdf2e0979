const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const NAMED: Readonly<Record<string, number>> = {
  minutely: MINUTE,
  hourly: HOUR,
  daily: DAY,
  weekly: 7 * DAY,
};

/**
 * The longest pause between two runs of a calendar event, in seconds, for the forms that replication jobs really have:
 * `*\/15`, `0/5`, `10,40`, `*:0/30`, `8..17:0/15`, `22:00`, `2,14:30`, `hourly`, each every day. Undefined for
 * anything else (weekdays, dates, seconds): better no verdict than a wrong one.
 */
export function calendarInterval(schedule: string): number | undefined {
  const text = schedule.trim().toLowerCase();
  const named = NAMED[text];
  if (named !== undefined) return named;
  const parts = text.split(':');
  if (parts.length > 2) return undefined;
  // Without a colon it is the minutes of every hour.
  const [hourText, minuteText] = parts.length === 1 ? ['*', parts[0]] : parts;
  const hours = valuesOf(hourText ?? '', 24);
  const minutes = valuesOf(minuteText ?? '', 60);
  if (hours === undefined || minutes === undefined) return undefined;
  const runs = hours.flatMap((hour) => minutes.map((minute) => hour * HOUR + minute * MINUTE)).sort((a, b) => a - b);
  const [first] = runs;
  const last = runs.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return Math.max(first + DAY - last, ...runs.slice(1).map((run, index) => run - (runs[index] ?? run)));
}

/** `*`, `*\/5`, `3/5`, `8..17`, `8..17/2`, `1,15`: the numbers below `limit` it stands for, sorted. */
function valuesOf(text: string, limit: number): readonly number[] | undefined {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(?:(\*)|(\d{1,2})(?:\.\.(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part.trim());
    if (match === null) return undefined;
    const [, star, from, to, step] = match;
    const start = star === undefined ? Number(from) : 0;
    // `3` is one moment, `3/5` starts there and goes on.
    const end = star !== undefined || (to === undefined && step !== undefined) ? limit - 1 : Number(to ?? from);
    const by = step === undefined ? 1 : Number(step);
    if (by === 0 || start >= limit || end >= limit || end < start) return undefined;
    for (let value = start; value <= end; value += by) found.add(value);
  }
  return [...found].sort((a, b) => a - b);
}
