import { counted } from '../../answer/units.ts';
import { type Check, CLUSTER, defineCheck, onNode, some } from './check.ts';

/** Quorum, votes and links. */
export const clusterChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-Q01',
    area: 'cluster',
    severity: 'critical',
    what: 'No quorum',
    why: 'the configuration is read-only and HA starts nothing',
    command: 'pvecm status',
    needs: ['membership'],
    judge: ({ membership }) =>
      membership.quorate === false
        ? [
            {
              on: CLUSTER,
              evidence: `${membership.members.filter((m) => m.online).length} of ${membership.members.length} nodes online`,
            },
          ]
        : [],
  }),
  defineCheck({
    id: 'PVE-Q02',
    area: 'cluster',
    severity: 'critical',
    what: 'Node offline',
    why: 'its guests are down or unseen, and it gives no vote',
    command: 'ssh <node> systemctl status corosync pve-cluster',
    needs: ['nodes'],
    uses: ['guests'],
    judge: ({ nodes, guests }) =>
      nodes
        .filter((n) => n.status !== 'online')
        .map((n) => {
          const here = (guests ?? []).filter((g) => g.node === n.node).length;
          return { on: onNode(n.node), evidence: `${n.status}${here === 0 ? '' : `, ${counted(here, 'guest')} on it`}` };
        }),
  }),
  defineCheck({
    id: 'PVE-Q03',
    area: 'cluster',
    severity: 'warning',
    what: 'Next lost vote costs the quorum',
    why: 'one more node (or arbiter) down and the cluster stands still',
    command: 'pvecm status',
    needs: ['membership', 'quorum'],
    judge: ({ membership, quorum: { votes, nodes } }) => {
      if (votes === undefined || nodes.length < 2 || membership.quorate === false) return [];
      const down = votes.expected - votes.present;
      // Two nodes without an arbiter are always that close: PVE-Q05 says so.
      if (down === 0 || votes.present - 1 >= votes.needed) return [];
      return [{ on: CLUSTER, evidence: `${votes.present} of ${votes.expected} votes present, ${votes.needed} needed` }];
    },
  }),
  defineCheck({
    id: 'PVE-Q04',
    area: 'cluster',
    severity: 'warning',
    what: 'Quorum arbiter not connected',
    why: 'its vote is missing, so one lost node may stop the cluster',
    command: 'pvecm status; systemctl status corosync-qdevice',
    needs: ['quorum'],
    judge: ({ quorum: { qdevice } }) =>
      qdevice === undefined || /^connected/i.test(qdevice.state ?? '')
        ? []
        : [{ on: CLUSTER, evidence: `${qdevice.host ?? 'arbiter'}: ${qdevice.state ?? 'state not told'}` }],
  }),
  defineCheck({
    id: 'PVE-Q05',
    area: 'cluster',
    severity: 'warning',
    what: 'Even number of votes without an arbiter',
    why: 'two equal halves stop each other; with two nodes the loss of either stops both',
    command: 'pvecm qdevice setup <address of an outside host>',
    needs: ['quorum'],
    judge: ({ quorum: { nodes, qdevice } }) => {
      const votes = nodes.reduce((sum, n) => sum + n.votes, 0);
      return nodes.length >= 2 && votes % 2 === 0 && qdevice === undefined
        ? [{ on: CLUSTER, evidence: `${counted(nodes.length, 'node')}, ${votes} votes` }]
        : [];
    },
  }),
  defineCheck({
    id: 'PVE-Q06',
    area: 'cluster',
    severity: 'info',
    what: 'Node with an unusual number of votes',
    why: 'it decides more (or less) than its peers about the quorum',
    needs: ['quorum'],
    judge: ({ quorum: { nodes } }) =>
      nodes.filter((n) => n.votes !== 1).map((n) => ({ on: onNode(n.node), evidence: `${n.votes} votes` })),
  }),
  defineCheck({
    id: 'PVE-Q07',
    area: 'cluster',
    severity: 'warning',
    what: 'Node without a cluster link that others have',
    why: 'when the common link fails it drops out alone',
    command: 'less /etc/pve/corosync.conf',
    needs: ['quorum'],
    judge: ({ quorum: { nodes } }) => {
      const all = [...new Set(nodes.flatMap((n) => [...n.links.keys()]))].sort((a, b) => a - b);
      return nodes.flatMap((n) => {
        const lacking = all.filter((link) => !n.links.has(link));
        return lacking.length === 0 ? [] : [{ on: onNode(n.node), evidence: `no link ${lacking.join(', ')}` }];
      });
    },
  }),
  defineCheck({
    id: 'PVE-Q08',
    area: 'cluster',
    severity: 'info',
    what: 'Cluster on a single link',
    why: 'one switch or cable down and every node is alone; with HA they all fence themselves',
    command: 'less /etc/pve/corosync.conf',
    needs: ['quorum'],
    judge: ({ quorum: { nodes } }) =>
      nodes.length >= 2 && nodes.every((n) => n.links.size === 1)
        ? [{ on: CLUSTER, evidence: 'all nodes have link 0 only' }]
        : [],
  }),
  defineCheck({
    id: 'PVE-Q09',
    area: 'cluster',
    severity: 'warning',
    what: 'Members differ from the configured nodes',
    why: 'a node was added or removed only halfway',
    command: 'pvecm nodes; ls /etc/pve/nodes',
    needs: ['membership', 'quorum'],
    judge: ({ membership, quorum: { nodes } }) => {
      if (nodes.length === 0) return [];
      const configured = new Set(nodes.map((n) => n.node));
      const members = new Set(membership.members.map((m) => m.node));
      const odd = [...[...configured].filter((n) => !members.has(n)), ...[...members].filter((n) => !configured.has(n))];
      return odd.length === 0 ? [] : [{ on: CLUSTER, evidence: some(odd) }];
    },
  }),
];
