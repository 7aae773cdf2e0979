import { formatDuration } from '../../answer/units.ts';
import type { Certificate } from '../../cluster/certificates.ts';
import { type Check, CLUSTER, defineCheck, type Finding, type Judging, onNode, onThing, type Severity, some } from './check.ts';

const DAY = 86_400;
/** Bits of an RSA key that count as strong enough. */
const STRONG_BITS = 2048;

/** Certificates, clocks and name servers. */
export const certificateChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-C01',
    area: 'certificates',
    severity: 'critical',
    what: 'Certificate of the web interface and API ends',
    why: 'browsers and programs (this one, too) refuse the node then',
    command: 'ssh <node> pvenode cert info; pvenode acme cert renew (or pvecm updatecerts)',
    needs: ['certificates'],
    thresholds: ['certificate-warning', 'certificate-critical'],
    judge: ({ certificates }, by) => [...certificates].flatMap(([node, list]) => ending(node, list, 'web', by)),
  }),
  defineCheck({
    id: 'PVE-C02',
    area: 'certificates',
    severity: 'warning',
    what: "Node's own certificate ends",
    why: 'it renews itself two weeks before: that it did not means that the renewal fails',
    command: 'ssh <node> pvecm updatecerts',
    needs: ['certificates'],
    thresholds: ['certificate-critical'],
    judge: ({ certificates }, by) =>
      [...certificates].flatMap(([node, list]) =>
        ending(node, list, 'node', by)
          .filter((f) => f.severity === 'critical')
          .map((f) => ({ ...f, severity: 'warning' as const })),
      ),
  }),
  defineCheck({
    id: 'PVE-C03',
    area: 'certificates',
    severity: 'info',
    what: "Cluster's certificate authority ends",
    why: 'all node certificates hang on it, and every client that trusts it has to be changed',
    command: 'openssl x509 -in /etc/pve/pve-root-ca.pem -noout -enddate',
    needs: ['certificates'],
    thresholds: ['authority-warning'],
    judge: ({ certificates }, by) => {
      const ends = [...certificates.values()].flat().flatMap((c) => (c.use === 'ca' ? (c.notAfter ?? []) : []));
      const first = Math.min(...ends);
      return first - by.now <= by.threshold('authority-warning') * DAY ? [{ on: CLUSTER, evidence: endText(first, by) }] : [];
    },
  }),
  defineCheck({
    id: 'PVE-C04',
    area: 'certificates',
    severity: 'info',
    what: 'Certificate with a weak key',
    why: 'clients begin to refuse it',
    command: 'ssh <node> pvecm updatecerts --force',
    needs: ['certificates'],
    judge: ({ certificates }) =>
      [...certificates].flatMap(([node, list]) =>
        list.flatMap((c) => {
          const bits = /rsa\D*(\d+)/i.exec(c.key ?? '')?.[1];
          return bits !== undefined && Number(bits) < STRONG_BITS ? [{ on: onNode(node), evidence: `${c.file}: ${c.key}` }] : [];
        }),
      ),
  }),
  defineCheck({
    id: 'PVE-C05',
    area: 'certificates',
    severity: 'critical',
    what: 'Clocks apart',
    why: 'corosync, Ceph, tickets and second factors need equal clocks',
    command: 'ssh <node> chronyc tracking',
    needs: ['clocks'],
    thresholds: ['clock-warning', 'clock-critical'],
    judge: ({ clocks }, by) =>
      [...clocks].flatMap(([node, clock]): Finding[] => {
        const off = clock.aheadOfEntry;
        if (off === undefined || Math.abs(off) < by.threshold('clock-warning')) return [];
        const severity: Severity = Math.abs(off) >= by.threshold('clock-critical') ? 'critical' : 'warning';
        return [
          { on: onNode(node), severity, evidence: `${Math.abs(off)} s ${off > 0 ? 'ahead of' : 'behind'} the node that answers` },
        ];
      }),
  }),
  defineCheck({
    id: 'PVE-C06',
    area: 'certificates',
    severity: 'info',
    what: 'Nodes in different time zones',
    why: 'schedules of jobs run at different moments, and logs are hard to compare',
    command: 'timedatectl set-timezone ZONE',
    needs: ['clocks', 'everyNode'],
    judge: ({ clocks }) => {
      const zones = new Map([...clocks].flatMap(([node, c]) => (c.timezone === undefined ? [] : [[node, c.timezone] as const])));
      return new Set(zones.values()).size < 2
        ? []
        : [{ on: CLUSTER, evidence: some([...zones].map(([node, zone]) => `${node} ${zone}`)) }];
    },
  }),
  defineCheck({
    id: 'PVE-C07',
    area: 'certificates',
    severity: 'warning',
    what: 'No name server',
    why: 'updates, mail, backups to named servers and logins over LDAP fail',
    command: 'pvesh set /nodes/<node>/dns --search DOMAIN --dns1 ADDRESS',
    needs: ['dns'],
    judge: ({ dns }) =>
      [...dns].flatMap(([node, d]) => (d.servers.length === 0 ? [{ on: onNode(node), evidence: 'none configured' }] : [])),
  }),
  defineCheck({
    id: 'PVE-C08',
    area: 'certificates',
    severity: 'info',
    what: 'Nodes ask different name servers',
    why: 'names may resolve on one node and not on another',
    needs: ['dns', 'everyNode'],
    judge: ({ dns }) => {
      const groups = new Map<string, string[]>();
      for (const [node, d] of dns) {
        const key = `${[...d.servers].sort().join(', ')}${d.search === undefined ? '' : ` (${d.search})`}`;
        groups.set(key, [...(groups.get(key) ?? []), node]);
      }
      return groups.size < 2
        ? []
        : [
            {
              on: onThing('name servers'),
              evidence: some(
                [...groups].map(([servers, nodes]) => `${some(nodes, 3)}: ${servers}`),
                3,
              ),
            },
          ];
    },
  }),
  defineCheck({
    id: 'PVE-C09',
    area: 'certificates',
    severity: 'info',
    what: 'Only one name server',
    why: 'when it is down, so is name resolution on the node',
    needs: ['dns'],
    judge: ({ dns }) =>
      [...dns].flatMap(([node, d]) => (d.servers.length === 1 ? [{ on: onNode(node), evidence: d.servers[0] ?? '' }] : [])),
  }),
];

function ending(node: string, list: readonly Certificate[], use: Certificate['use'], by: Judging): readonly Finding[] {
  return list.flatMap((c): Finding[] => {
    if (c.use !== use || c.notAfter === undefined) return [];
    const left = c.notAfter - by.now;
    if (left > by.threshold('certificate-warning') * DAY) return [];
    const severity: Severity = left <= by.threshold('certificate-critical') * DAY ? 'critical' : 'warning';
    return [{ on: onNode(node), severity, evidence: `${c.file} ${endText(c.notAfter, by)}` }];
  });
}

function endText(end: number, by: Judging): string {
  const left = end - by.now;
  return left <= 0 ? `expired ${formatDuration(-left)} ago` : `ends in ${formatDuration(left)}`;
}
