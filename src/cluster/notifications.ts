import type { Call } from '../api/call.ts';
import { toApiError } from '../api/errors.ts';
import { boolOf, byText, listOf } from '../api/lenient.ts';
import { attempt, complete, mergeGaps, type Reading } from '../api/reading.ts';
import { cleaned, commentOf } from './shown-text.ts';

/** Somewhere that notifications are sent to. */
export interface NotificationTarget {
  readonly name: string;
  /** `sendmail`, `smtp`, `gotify`, `webhook`. */
  readonly type: string;
  readonly enabled: boolean;
  readonly comment: string | undefined;
  /** Server, recipients, host of a URL; undefined when that was not read. Never a secret. */
  readonly place: string | undefined;
}

/** A rule that sends some notifications to some targets. */
export interface NotificationMatcher {
  readonly name: string;
  readonly enabled: boolean;
  readonly targets: readonly string[];
  /** `severity error,warning`, `field exact:type=vzdump`, `calendar mon..fri`; empty matches everything. */
  readonly conditions: readonly string[];
  /** `all` or `any` of the conditions. */
  readonly mode: string;
  readonly inverted: boolean;
  readonly comment: string | undefined;
}

export interface Notifications {
  readonly targets: readonly NotificationTarget[];
  readonly matchers: readonly NotificationMatcher[];
}

const KINDS = ['sendmail', 'smtp', 'gotify', 'webhook'] as const;

/**
 * Notification targets and matchers. With `places` also where each target leads, which is one more request a kind.
 * Undefined where the release has no such thing (before 8.1) or the token may not see it.
 *
 * Source: GET /cluster/notifications/targets, /matchers, /endpoints/{kind} (Mapping.Audit on /mapping/notifications).
 */
export async function readNotifications(call: Call, places: boolean): Promise<Reading<Notifications | undefined>> {
  const [targets, matchers] = await Promise.all([
    attempt({}, async () => listOf((await call.get('/cluster/notifications/targets', {})).data, 'notification targets')),
    attempt({}, async () => parseMatchers((await call.get('/cluster/notifications/matchers', {})).data)),
  ]);
  const gaps = mergeGaps(targets, matchers);
  if (targets.data === undefined || matchers.data === undefined) return { data: undefined, ...gaps };
  const found = places ? await readPlaces(call) : complete(new Map<string, string>());
  return { data: { targets: parseTargets(targets.data, found.data), matchers: matchers.data }, ...mergeGaps(gaps, found) };
}

async function readPlaces(call: Call): Promise<Reading<ReadonlyMap<string, string>>> {
  const readings = await Promise.all(
    KINDS.map((kind) =>
      attempt({}, async () => {
        try {
          return parsePlaces((await call.get(`/cluster/notifications/endpoints/${kind}`, {})).data);
        } catch (thrown) {
          // Webhooks came later than the rest: without them there are none.
          if (toApiError(thrown).kind === 'unsupported-by-this-release') return undefined;
          throw thrown;
        }
      }),
    ),
  );
  const places = new Map<string, string>();
  for (const { data } of readings) for (const [name, place] of data ?? []) places.set(name, place);
  return { data: places, ...mergeGaps(...readings) };
}

/** Name of a target to where it leads. */
export function parsePlaces(data: unknown): ReadonlyMap<string, string> {
  return new Map(
    listOf(data, 'notification endpoints').flatMap((row) => {
      const name = cleaned(row['name']);
      const receivers = [...texts(row['mailto']), ...texts(row['mailto-user'])];
      const parts = [
        cleaned(row['server']),
        cleaned(row['url']),
        receivers.length === 0 ? undefined : `to ${receivers.join(', ')}`,
      ];
      const place = parts.filter((part) => part !== undefined).join(' ');
      return name === undefined || place === '' ? [] : [[name, place] as const];
    }),
  );
}

export function parseTargets(data: unknown, places: ReadonlyMap<string, string>): readonly NotificationTarget[] {
  return listOf(data, 'notification targets')
    .flatMap((row) => {
      const name = cleaned(row['name']);
      if (name === undefined) return [];
      return [
        {
          name,
          type: cleaned(row['type']) ?? 'unknown',
          enabled: boolOf(row['disable']) !== true,
          comment: commentOf(row['comment']),
          place: places.get(name),
        },
      ];
    })
    .sort((a, b) => byText(a.name, b.name));
}

export function parseMatchers(data: unknown): readonly NotificationMatcher[] {
  return listOf(data, 'notification matchers')
    .flatMap((row) => {
      const name = cleaned(row['name']);
      if (name === undefined) return [];
      const conditions = (['severity', 'field', 'calendar'] as const).flatMap((kind) =>
        texts(row[`match-${kind}`]).map((value) => `${kind} ${value}`),
      );
      return [
        {
          name,
          enabled: boolOf(row['disable']) !== true,
          targets: texts(row['target']),
          conditions,
          mode: cleaned(row['mode']) ?? 'all',
          inverted: boolOf(row['invert-match']) ?? false,
          comment: commentOf(row['comment']),
        },
      ];
    })
    .sort((a, b) => byText(a.name, b.name));
}

function texts(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((v) => cleaned(v) ?? []);
}
