/**
 * FIELD T1, T29: the allow-list itself against the schema facts of every supported release: each endpoint exists, from
 * the release it says, with the query keys it says, and the privilege it names is the one that the API asks for. What
 * must never be asked (FACTS: GETs with side effects, secrets, outbound requests) is not on it.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type EndpointPath,
  type EndpointSpec,
  endpointSpec,
  endpoints,
  isEndpoint,
  type Need,
  type QuerySpec,
} from '../../src/api/endpoints.ts';
import { checkSegment } from '../../src/api/segments.ts';
import { catalog } from '../../src/tools/catalog.ts';
import { endpointsOf, pathParamNames, RELEASES } from './facts.ts';

const paths: EndpointPath[] = Object.keys(endpoints).filter(isEndpoint);
const rank = (release: string): number => {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  return major * 1000 + minor;
};
const has = (since: string | undefined, release: string): boolean => since === undefined || rank(release) >= rank(since);

describe('T1 the allow-list is what the API has', () => {
  it('every endpoint exists in exactly the releases that its `since` says', () => {
    const wrong = paths.flatMap((path) =>
      RELEASES.filter((release) => endpointsOf(release).has(path) !== has(endpointSpec(path).since, release)).map(
        (release) => `${path}: ${endpointsOf(release).has(path) ? 'is' : 'is not'} in ${release}`,
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('every query key exists with its type, in exactly the releases that it says', () => {
    const wrong: string[] = [];
    for (const path of paths) {
      for (const [key, spec] of Object.entries<QuerySpec>(endpointSpec(path).query ?? {})) {
        const { type, since } = typeof spec === 'object' && 'since' in spec ? spec : { type: spec, since: undefined };
        for (const release of RELEASES) {
          const facts = endpointsOf(release).get(path);
          if (facts === undefined) continue;
          const param = facts.params[key];
          if ((param !== undefined) !== has(since, release))
            wrong.push(`${path}?${key}: ${param ? 'is' : 'is not'} in ${release}`);
          else if (param !== undefined && typeName(type) !== typeName(param.enum ?? FACT_TYPES[param.type]))
            wrong.push(`${path}?${key}: ${JSON.stringify(type)}, but ${param.type} ${param.enum?.join('|') ?? ''} in ${release}`);
        }
        const newest = endpointsOf('9.2.11').get(path)?.params[key]?.enum;
        if (Array.isArray(type) && newest !== undefined)
          for (const value of type) if (!newest.includes(value)) wrong.push(`${path}?${key}=${value} is not known`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has every required query key', () => {
    const wrong = paths.flatMap((path) =>
      Object.entries(endpointsOf('9.2.11').get(path)?.params ?? {}).flatMap(([key, { optional }]) =>
        optional === 1 || pathParamNames(path).includes(key) || Object.hasOwn(endpointSpec(path).query ?? {}, key)
          ? []
          : [`${path}?${key}`],
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('T4 every path parameter has a strict pattern', () => {
    for (const path of paths)
      for (const name of pathParamNames(path))
        for (const trick of ['..', '.', 'a/b', 'a%2fb', 'a;b', 'a?b', 'a#b', 'a\nb', 'a\\b', '', ' ', 'a b', 'ä'])
          expect(() => checkSegment(name, trick), `${path} {${name}} ${JSON.stringify(trick)}`).toThrow();
  });
});

const FACT_TYPES = { integer: 'int', number: 'int', boolean: 'bool', string: 'text' } as const;
/** An enumeration may be declared as text, and the other way round a text may be limited to some values. */
function typeName(type: unknown): string {
  return typeof type === 'string' && type !== 'text' ? type : 'text';
}

/** FACTS section 2 and 1: consoles, files out of guests, outbound requests, images, documents full of secrets. */
const BLOCKED = [
  /websocket$/,
  /\/agent\/(?:file-read|exec-status|exec|file-write|get-memory-block)/,
  /\/scan(?:\/|$)/,
  /query-url-metadata|query-oci-repo-tags/,
  /\/acme\/(?:tos|meta)/,
  /\/apt\/changelog/,
  /\/report$/,
  /file-restore/,
  /import-metadata/,
  /extractconfig/,
  /\/rrd$/,
  /\/snapshot\/\{snapname\}\/config/,
  /\/cluster\/config\/join/,
  /\/(?:qemu|lxc)\/\{vmid\}\/migrate$/,
  /\/sdn\/dry-run/,
  /\/access\/ticket/,
  /\/access\/users\/\{userid\}\/(?:token|tfa|unlock)/,
  /\/storage\/\{storage\}$/,
  /\/content\/\{volume\}/,
];

describe('what must never be asked', () => {
  it('is nothing that no tool needs: every endpoint of the allow-list is read by some tool', () => {
    const read = new Set<string>(catalog.flatMap(({ reads }) => reads));
    expect(paths.filter((path) => !read.has(path))).toEqual([]);
  });

  it('is not on the allow-list', () => {
    expect(paths.filter((path) => BLOCKED.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it('the block-list names endpoints that exist (a misspelt pattern would block nothing)', () => {
    const known = RELEASES.flatMap((release) => [...endpointsOf(release).keys()]);
    const idle = BLOCKED.filter((pattern) => !known.some((path) => pattern.test(path))).map(String);
    expect(idle).toEqual([]);
  });
});

describe('T29 the privilege named is the one the API asks for', () => {
  const wanted = paths.flatMap((path) => RELEASES.filter((r) => endpointsOf(r).has(path)).map((release) => ({ path, release })));

  it('what is open to every user is declared so, and nothing else', () => {
    const wrong = wanted.flatMap(({ path, release }) => {
      const permissions = permissionsOf(path, release);
      if (permissions === undefined) return [`${path}: only root@pam itself may ask in ${release}`];
      const open = permissions.user === 'all' || permissions.user === 'world' || holds(permissions.check, () => new Set());
      return open === (needOf(path, release) === 'any-user')
        ? []
        : [`${path}: ${open ? 'is' : 'is not'} open to all in ${release}`];
    });
    expect(wrong).toEqual([]);
  });

  it('holding exactly what is declared is enough', () => {
    const wrong = wanted.flatMap(({ path, release }) => {
      const need = needOf(path, release);
      const check = permissionsOf(path, release)?.check;
      if (need === 'any-user' || check === undefined) return [];
      return waysToHold(need).flatMap((privileges) => {
        const granted = new Set(privileges);
        const allowed = holds(check, (at) => (isAtOrBelow(at, need.on) ? granted : new Set()));
        return allowed
          ? []
          : [`${path} in ${release}: ${privileges.join(' and ')} on ${need.on} is not what ${JSON.stringify(check)} asks`];
      });
    });
    expect(wrong).toEqual([]);
  });
});

const Permissions = z.object({ user: z.string().optional(), check: z.array(z.unknown()).optional() });

function permissionsOf(path: EndpointPath, release: (typeof RELEASES)[number]) {
  const permissions = endpointsOf(release).get(path)?.permissions;
  return permissions === undefined ? undefined : Permissions.parse(permissions);
}

function needOf(path: EndpointPath, release: string): EndpointSpec['needs'] {
  const spec = endpointSpec(path);
  return rank(release) < rank('9.0') ? (spec.needsBefore9 ?? spec.needs) : spec.needs;
}

function waysToHold(need: Need): (readonly string[])[] {
  return [...(need.any ?? []).map((privilege) => [privilege]), ...(need.all === undefined ? [] : [need.all])];
}

/** `/` reaches everywhere. */
function isAtOrBelow(path: string, above: string): boolean {
  return above === '/' || path === above || path.startsWith(`${above}/`);
}

/** Evaluates a permission expression of the schema, with paths left as templates. */
function holds(expression: unknown, at: (path: string) => ReadonlySet<string>): boolean {
  if (!Array.isArray(expression)) throw new Error(`not an expression: ${JSON.stringify(expression)}`);
  const [kind, ...rest]: unknown[] = expression;
  if (kind === 'and') return rest.every((inner) => holds(inner, at));
  if (kind === 'or') return rest.some((inner) => holds(inner, at));
  if (kind === 'userid-group')
    return z
      .array(z.string())
      .parse(rest[0])
      .some((privilege) => at('/access/groups').has(privilege));
  if (kind === 'perm') {
    const [path, privileges, ...options] = rest;
    // Asked for only when the parameter is there; tests of the parameters belong to the readers that send them.
    if (options.includes('require_param')) return true;
    const held = at(z.string().parse(path));
    const list = z.array(z.string()).parse(privileges);
    return options.includes('any') ? list.some((p) => held.has(p)) : list.every((p) => held.has(p));
  }
  throw new Error(`unknown expression ${JSON.stringify(expression)}`);
}
