/** Addresses and names for the tests of the firewall insights. */
import type { FirewallNames } from '../cluster/firewall-names.ts';
import { type IpRange, parseIpRange } from './ip-ranges.ts';

export function ranges(...texts: string[]): IpRange[] {
  return texts.flatMap((t) => parseIpRange(t) ?? []);
}

const ALIASES = new Map<string, string>([
  ['dc office', '198.51.100.7'],
  ['guest own', '192.0.2.99'],
  ['dc six', '2001:db8::/64'],
  ['dc secret', 'hidden'],
]);

export const NAMES: FirewallNames = {
  alias: (scope, name) => ALIASES.get(`${scope} ${name}`) ?? 'missing',
  set(scope, name) {
    if (scope === 'dc' && name === 'management')
      return [
        { cidr: '10.20.0.0/24', nomatch: false },
        { cidr: '10.20.0.99', nomatch: true },
        { cidr: 'dc/office', nomatch: false },
      ];
    if (scope === 'dc' && name === 'dark') return 'hidden';
    if (scope === 'guest' && name === 'local') return [{ cidr: '192.0.2.0/24', nomatch: false }];
    return 'missing';
  },
};
