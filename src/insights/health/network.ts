import { isOnline } from '../../cluster/inventory.ts';
import type { SdnObject } from '../../cluster/sdn.ts';
import { type Check, defineCheck, type Finding, onNode, onPart, onThing, some } from './check.ts';

/** Networks of nodes, and SDN. */
export const networkChecks: readonly Check[] = [
  defineCheck({
    id: 'PVE-W01',
    area: 'network',
    severity: 'info',
    what: 'Network changes not applied',
    why: 'they come at the next reboot, when nobody expects them',
    command: 'pvesh set /nodes/<node>/network (applies), or pvesh delete /nodes/<node>/network (reverts)',
    needs: ['networks'],
    judge: ({ networks }) =>
      [...networks].flatMap(([node, { pending }]) =>
        pending === undefined ? [] : [{ on: onNode(node), evidence: `${pending.added} lines added, ${pending.removed} removed` }],
      ),
  }),
  defineCheck({
    id: 'PVE-W02',
    area: 'network',
    severity: 'info',
    what: 'SDN changes not applied',
    why: 'the configuration is not what runs',
    command: 'pvesh set /cluster/sdn (applies)',
    needs: ['sdn'],
    judge: ({ sdn }) => [...pending(sdn.zones, 'zone'), ...pending(sdn.vnets, 'VNet')],
  }),
  defineCheck({
    id: 'PVE-W03',
    area: 'network',
    severity: 'warning',
    what: 'SDN zone in error on a node',
    why: 'guests in its networks are cut off there',
    command: 'pvesh get /nodes/<node>/sdn/zones; pvesh set /cluster/sdn',
    needs: ['zones', 'nodes'],
    judge: ({ zones, nodes }) =>
      zones.flatMap((z) =>
        z.status === 'error' && isOnline(nodes, z.node)
          ? [{ on: onThing(`${z.type} ${z.id.split('/').at(-1) ?? z.id} on ${z.node}`, { node: z.node }), evidence: z.status }]
          : [],
      ),
  }),
  defineCheck({
    id: 'PVE-W04',
    area: 'network',
    severity: 'warning',
    what: 'Bridge or bond down',
    why: 'it should come up with the node; what hangs on it is cut off',
    command: 'ssh <node> ifup NAME; ip link',
    needs: ['networks'],
    judge: ({ networks }) =>
      [...networks].flatMap(([node, { interfaces }]) => {
        const down = interfaces.filter((i) => /bridge|bond/i.test(i.type) && i.autostart && !i.active).map((i) => i.name);
        return down.length === 0 ? [] : [{ on: onNode(node), evidence: `${node}: ${some(down)}` }];
      }),
  }),
  defineCheck({
    id: 'PVE-W05',
    area: 'network',
    severity: 'warning',
    what: 'Bond with a member that is down',
    why: 'the redundancy that it is there for is gone',
    command: 'ssh <node> cat /proc/net/bonding/<name>',
    needs: ['networks'],
    judge: ({ networks }) =>
      [...networks].flatMap(([node, { interfaces }]) =>
        interfaces.flatMap((bond): Finding[] => {
          if (!/bond/i.test(bond.type) || !bond.active) return [];
          const members = bond.ports.map((port) => interfaces.find((i) => i.name === port));
          const down = members.flatMap((m) => (m === undefined || m.active ? [] : [m.name]));
          return down.length === 0 ? [] : [{ on: onPart(node, bond.name), evidence: `${some(down)} of ${some(bond.ports)}` }];
        }),
      ),
  }),
];

function pending(objects: readonly SdnObject[], kind: string): readonly Finding[] {
  return objects.flatMap((o) =>
    o.pending === 'applied'
      ? []
      : [
          {
            on: onThing(`${kind} ${o.id}`),
            evidence: `${o.id} ${o.pending}${o.changes.length === 0 ? '' : `: ${some(o.changes, 2)}`}`,
          },
        ],
  );
}
