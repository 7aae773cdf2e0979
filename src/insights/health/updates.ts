import { counted } from '../../answer/units.ts';
import { coreUpdates, isSecurity, type Repository } from '../../cluster/updates.ts';
import { type Check, defineCheck, onNode, some } from './check.ts';

/** Updates, subscriptions and package sources. */
export const updateChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-U01',
    area: 'updates',
    severity: 'warning',
    what: 'Security updates wait',
    why: 'known holes stay open',
    command: 'ssh <node> "apt update && apt dist-upgrade"',
    needs: ['updates'],
    judge: ({ updates }) =>
      [...updates].flatMap(([node, list]) => {
        const security = list.filter(isSecurity).map((u) => u.name);
        return security.length === 0 ? [] : [{ on: onNode(node), evidence: `${node}: ${some(security)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-U02',
    area: 'updates',
    severity: 'info',
    what: 'Updates wait',
    why: "by the node's own package lists, however old those are",
    command: 'ssh <node> "apt update && apt dist-upgrade"',
    needs: ['updates'],
    judge: ({ updates }) =>
      [...updates].flatMap(([node, list]) =>
        list.length === 0 ? [] : [{ on: onNode(node), evidence: `${node}: ${counted(list.length, 'package')}` }],
      ),
  }),
  defineCheck({
    id: 'PVE-U03',
    area: 'updates',
    severity: 'info',
    what: "Updates of the product's own packages wait",
    why: 'the whole list of updates is hidden from this token: others may wait, too',
    command: 'ssh <node> "apt update && apt dist-upgrade"',
    needs: ['versions'],
    uses: ['updates'],
    judge: ({ versions, updates }) =>
      [...versions].flatMap(([node, v]) => {
        // Where the whole list is known, it is told as that.
        const core = updates?.has(node) === true ? [] : coreUpdates(v).map((u) => u.name);
        return core.length === 0 ? [] : [{ on: onNode(node), evidence: `${node}: ${some(core)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-U04',
    area: 'updates',
    severity: 'info',
    what: 'No subscription',
    why: 'no access to the tested enterprise packages, no support',
    command: 'pvesubscription set KEY',
    needs: ['subscriptions'],
    judge: ({ subscriptions }) =>
      [...subscriptions].flatMap(([node, s]) => (s.status === 'notfound' ? [{ on: onNode(node), evidence: 'none' }] : [])),
  }),
  defineCheck({
    id: 'PVE-U05',
    area: 'updates',
    severity: 'warning',
    what: 'Subscription not valid',
    why: 'the enterprise packages are refused until it is',
    command: 'pvesubscription update --force 1',
    needs: ['subscriptions'],
    judge: ({ subscriptions }) =>
      [...subscriptions].flatMap(([node, s]) =>
        ['expired', 'invalid', 'suspended'].includes(s.status)
          ? [{ on: onNode(node), evidence: `${s.status}${s.message === undefined ? '' : `: ${s.message}`}` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-U06',
    area: 'updates',
    severity: 'warning',
    what: 'Package sources with errors or warnings',
    why: 'updates may be missed',
    command: 'ssh <node> "apt update; cat /etc/apt/sources.list.d/*"',
    needs: ['repositories'],
    judge: ({ repositories }) =>
      [...repositories].flatMap(([node, r]) =>
        r.remarks.length === 0 ? [] : [{ on: onNode(node), evidence: `${node}: ${some(r.remarks, 2)}` }],
      ),
  }),
  defineCheck({
    id: 'PVE-U07',
    area: 'updates',
    severity: 'warning',
    what: 'Enterprise packages without a subscription',
    why: 'every update fails with 401 there',
    command: 'use the no-subscription repository, or set a subscription',
    needs: ['repositories', 'subscriptions'],
    judge: ({ repositories, subscriptions }) =>
      [...repositories].flatMap(([node, r]) => {
        const status = subscriptions.get(node)?.status;
        const enterprise = enabled(r.repositories).some((x) => /enterprise\.proxmox\.com/.test(x.source));
        return enterprise && status !== undefined && status !== 'active' && status !== 'unknown'
          ? [{ on: onNode(node), evidence: `subscription ${status}` }]
          : [];
      }),
  }),
  defineCheck({
    id: 'PVE-U08',
    area: 'updates',
    severity: 'warning',
    what: 'No Proxmox VE package source',
    why: 'the node gets no updates of the product',
    command: 'web interface: node, Updates, Repositories, Add',
    needs: ['repositories'],
    judge: ({ repositories }) =>
      [...repositories].flatMap(([node, r]) =>
        r.repositories.length > 0 &&
        !enabled(r.repositories).some((x) => /\bpve(?:-enterprise|-no-subscription|-test|test)\b/.test(x.source))
          ? [{ on: onNode(node), evidence: `none of ${counted(enabled(r.repositories).length, 'enabled source')}` }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-U09',
    area: 'updates',
    severity: 'warning',
    what: 'Test packages in use',
    why: 'they are not meant for production',
    command: 'web interface: node, Updates, Repositories, Disable',
    needs: ['repositories'],
    judge: ({ repositories }) =>
      [...repositories].flatMap(([node, r]) =>
        enabled(r.repositories).some((x) => /\bpve-?test\b/.test(x.source))
          ? [{ on: onNode(node), evidence: 'test repository enabled' }]
          : [],
      ),
  }),
];

function enabled(repositories: readonly Repository[]): readonly Repository[] {
  return repositories.filter((r) => r.enabled);
}
