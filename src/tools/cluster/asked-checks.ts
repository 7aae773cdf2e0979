import { counted } from '../../answer/units.ts';
import { ApiError } from '../../api/errors.ts';
import { type FactName, GUEST_FACTS, requestsPerGuest } from '../../cluster/health-facts.ts';
import type { Advice } from '../../cluster/health-guests.ts';
import { closest } from '../../config/suggest.ts';
import { healthChecks } from '../../insights/health/catalog.ts';
import type { Area, Check } from '../../insights/health/check.ts';
import { factsOf, idRanges } from '../../insights/health/judge.ts';

/** What a caller of check_health asks about. */
export interface Asked {
  readonly area?: readonly Area[] | undefined;
  readonly check?: readonly string[] | undefined;
  readonly node?: string | undefined;
  readonly vmid?: number | undefined;
}

/** Areas in which something may be said about a single guest. */
const GUEST_AREAS: ReadonlySet<Area> = new Set<Area>(['guests', 'backups', 'ha', 'replication', 'firewall', 'tasks']);

/** The checks that are asked for. Throws when one is named that does not exist, or in two ways that may contradict each other. */
export function askedChecks(args: Asked): readonly Check[] {
  const { area, vmid } = args;
  const named = (args.check ?? []).map(checkOf);
  if (named.length > 0) {
    if (area !== undefined && area.length > 0)
      throw new ApiError('bad-argument', 'area and check: both choose checks.', { hint: 'Give one of them.' });
    return healthChecks.filter((c) => named.includes(c));
  }
  if (area !== undefined && area.length > 0) return healthChecks.filter((c) => area.includes(c.area));
  return vmid === undefined ? healthChecks : healthChecks.filter((c) => GUEST_AREAS.has(c.area));
}

/** By its id, with or without what all ids begin with. */
function checkOf(given: string): Check {
  const id = `PVE-${given.toUpperCase().replace(/^PVE-/, '')}`;
  const found = healthChecks.find((c) => c.id === id);
  if (found !== undefined) return found;
  const ids = healthChecks.map((c) => c.id);
  throw new ApiError('bad-argument', `check: there is no check ${JSON.stringify(given)}.`, {
    hint: `Such as ${closest(id, ids) ?? ids[0]}; check_health without it shows their ids.`,
  });
}

/** Named checks are read in full, guest by guest where they need it. */
export function namesChecks({ check }: Asked): boolean {
  return check !== undefined && check.length > 0;
}

/** The caller said what it is about: all of that is read, whatever it costs. */
export function namesWhat(args: Asked): boolean {
  return namesChecks(args) || (args.area !== undefined && args.area.length > 0);
}

/** Checks that compare all guests with each other, or say something about all at once, by what they need of each. */
const BY_CONFIG = healthChecks.filter((c) => c.needs.includes('oneGo'));
const BY_RULES = healthChecks.filter((c) => c.needs.includes('everyFirewall') || c.also.includes('everyFirewall'));

function compares(check: Check): boolean {
  return BY_CONFIG.includes(check) || BY_RULES.includes(check);
}

/** Checks that go on from page to page when there are too many guests for one. */
export function isOfGuests(check: Check): boolean {
  return check.needs.some((fact) => GUEST_FACTS.has(fact)) && !compares(check);
}

/** Facts of single guests that the checks ask for. */
export function guestFacts(checks: readonly Check[]): readonly FactName[] {
  return [...factsOf(checks)].filter((fact) => GUEST_FACTS.has(fact));
}

/** Those among the checks that compare all guests, as `check` takes them: `S07,G20`. */
export function comparingIds(checks: readonly Check[]): string {
  return idList(checks.filter(compares));
}

/** One call for each group that costs the same: `check=S07,G20 (1 request a guest) or check=F01,F10 (2 requests a guest)`. */
export function howToCompare(checks: readonly Check[]): string {
  return [BY_CONFIG, BY_RULES]
    .map((group) => group.filter((c) => checks.includes(c)))
    .filter((group) => group.length > 0)
    .map((group) => `check=${idList(group)} (${counted(requestsPerGuest(guestFacts(group)), 'request')} a guest)`)
    .join(' or ');
}

/** How the checks are to be had that time ran out for: by themselves; where that is what was asked, by something smaller. */
export function compareAdvice(checks: readonly Check[], node: string | undefined): Advice {
  const alone = (group: readonly Check[]): string | undefined =>
    checks.every((c) => group.includes(c)) ? undefined : `ask for ${howToCompare(group.filter((c) => checks.includes(c)))}`;
  return {
    oneGo:
      alone(BY_CONFIG) ??
      (node === undefined
        ? 'the cluster is too large for one call; node= compares the guests of one node'
        : 'the node has too many for one call'),
    everyFirewall:
      alone(BY_RULES) ??
      "the cluster is too large for one call; where a security group is used, tells on a node: grep -rl 'GROUP NAME' /etc/pve --include='*.fw'",
  };
}

function idList(checks: readonly Check[]): string {
  return checks.map((c) => idRanges([c], healthChecks)).join(',');
}
