import { describe, expect, it } from 'vitest';
import { createAsker } from './area-request.fixture.ts';

const { ask, rows, row, world } = createAsker();
const pending = (path: string) => rows(path, { query: { pending: '1' } });

describe('SDN', () => {
  it('lists what is configured, what runs, and what is about to change', () => {
    const names = (query: Record<string, string>) => rows('/cluster/sdn/vnets', { query }).map((vnet) => vnet.vnet);
    expect(names({})).toEqual(['labnet', 'office', 'voice', 'tenant1']);
    expect(names({ running: '1' })).toEqual(['labnet', 'office', 'voice', 'retired']);
    expect(names({ pending: '1' })).toEqual(['labnet', 'office', 'voice', 'tenant1', 'retired']);
  });

  it('pending rows hold the running values and beside them the change', () => {
    const zones = new Map(pending('/cluster/sdn/zones').map((zone) => [zone.zone, zone]));
    expect(zones.get('campus')).toMatchObject({ digest: null, bridge: 'vmbr0', state: 'changed', pending: { mtu: 1496 } });
    expect(zones.get('campus')).not.toHaveProperty('mtu');
    expect(zones.get('overlay')).toMatchObject({ state: 'new', pending: { controller: 'evpnctl' } });
    expect(zones.get('overlay')).not.toHaveProperty('controller');
    expect(zones.get('lab')).not.toHaveProperty('state');
    expect(pending('/cluster/sdn/vnets').find((vnet) => vnet.vnet === 'retired')).toMatchObject({ state: 'deleted', tag: 40 });
  });

  it('lists hand out the secrets that single objects guard', () => {
    expect(rows('/cluster/sdn/ipams').find((ipam) => ipam.ipam === 'netbox')?.token).toBe(
      world.canaries.find((canary) => canary.place.includes('netbox'))?.value,
    );
    expect(rows('/cluster/sdn/dns')[0]).toHaveProperty('key');
  });

  it('rows the caller has no right on are left out', () => {
    const identity = world.areas.access.tokens.noacl.id;
    for (const path of ['zones', 'vnets', 'controllers', 'ipams', 'dns', 'fabrics/fabric', 'fabrics/node']) {
      expect(rows(`/cluster/sdn/${path}`).length, path).toBeGreaterThan(0);
      expect(rows(`/cluster/sdn/${path}`, { identity }), path).toEqual([]);
    }
    expect(() => ask('/cluster/sdn/vnets/labnet', { identity })).toThrow(
      'Permission check failed (/sdn/zones/lab/labnet, SDN.Audit|SDN.Allocate)',
    );
    expect(() => ask('/cluster/sdn/vnets/labnet/subnets', { identity })).toThrow(/SDN\.Audit\|SDN\.Allocate/);
  });

  it('a subnet tells its address, network and mask', () => {
    expect(row('/cluster/sdn/vnets/labnet/subnets/lab-10.30.0.0-24')).toMatchObject({
      cidr: '10.30.0.0/24',
      network: '10.30.0.0',
      mask: '24',
      vnet: 'labnet',
      zone: 'lab',
    });
    expect(rows('/cluster/sdn/vnets/tenant1/subnets')[0]).toMatchObject({ cidr: '2001:db8:70::/64', mask: '64' });
    expect(() => ask('/cluster/sdn/vnets/office/subnets/lab-10.30.0.0-24')).toThrow(
      expect.objectContaining({ status: 400, errors: { vnet: 'wrong vnet' } }),
    );
  });

  it('only the built-in address management tells its leases', () => {
    expect(rows('/cluster/sdn/ipams/pve/status').map((lease) => lease.vmid)).toContain(100);
    expect(() => ask('/cluster/sdn/ipams/netbox/status')).toThrow(/^Currently only PVE IPAM is supported! at /);
  });

  it('nodes tell which zones work, everybody may ask', () => {
    const identity = world.areas.access.tokens.noacl.id;
    expect(rows('/nodes/pve2/sdn/zones', { identity })).toContainEqual({ status: 'error', zone: 'campus' });
    expect(rows('/nodes/pve1/sdn/zones')).toContainEqual({ status: 'available', zone: 'campus' });
    expect(rows('/nodes/pve2/sdn/zones/campus/content')[0]).toHaveProperty('statusmsg');
    expect(rows('/nodes/pve1/sdn/zones').map((zone) => zone.zone)).not.toContain('overlay');
  });
});
