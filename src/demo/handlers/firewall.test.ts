import { describe, expect, it } from 'vitest';
import { createAsker } from './area-request.fixture.ts';

const { ask, reply, rows, row, world } = createAsker();

describe('firewall', () => {
  it('gives the position as a number in lists and as text for one rule', () => {
    expect(rows('/cluster/firewall/rules').map((rule) => rule.pos)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(row('/cluster/firewall/rules/2').pos).toBe('2');
  });

  it('a rule that refers to nothing carries what is wrong', () => {
    expect(rows('/nodes/pve1/qemu/101/firewall/rules')[1]?.errors).toEqual({ source: "no such alias 'reporting_net'" });
  });

  it('a guest without a file has the digest of an empty one, and no option', () => {
    expect(row('/nodes/pve1/qemu/104/firewall/options')).toEqual({ digest: 'da39a3ee5e6b4b0d3255bfef95601890afd80709' });
    expect(rows('/nodes/pve1/qemu/113/firewall/rules')).toEqual([]);
  });

  it("references hold the datacenter's and the guest's own names", () => {
    const refs = rows('/nodes/pve1/qemu/100/firewall/refs').map((ref) => `${ref.scope}/${ref.ref}`);
    expect(refs).toEqual(expect.arrayContaining(['dc/+management', 'dc/gateway', 'guest/+ipfilter-net0', 'guest/office']));
    expect(rows('/cluster/firewall/refs').every((ref) => ref.scope === 'dc')).toBe(true);
    expect(rows('/cluster/firewall/refs', { query: { type: 'alias' } }).map((ref) => ref.type)).not.toContain('ipset');
  });

  it('what is not there has the errors of the real one', () => {
    expect(() => ask('/cluster/firewall/rules/99')).toThrow('no rule at position 99');
    expect(() => ask('/cluster/firewall/groups/nope')).toThrow("no such security group 'nope'");
    expect(() => ask('/cluster/firewall/ipset/nope')).toThrow("no such ipset 'nope'");
    expect(() => ask('/cluster/firewall/aliases/nope')).toThrow(
      expect.objectContaining({ status: 400, errors: { name: 'no such alias' } }),
    );
    expect(() => ask('/cluster/firewall/ipset/management/192.0.2.0%2F24')).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('a guest asked for on the wrong node or as the wrong kind does not exist', () => {
    expect(() => ask('/nodes/pve2/qemu/100/firewall/options')).toThrow(
      "Configuration file 'nodes/pve2/qemu-server/100.conf' does not exist",
    );
    expect(() => ask('/nodes/pve1/lxc/100/firewall/options')).toThrow(
      "Configuration file 'nodes/pve1/lxc/100.conf' does not exist",
    );
    expect(() => ask('/nodes/nope/firewall/options')).toThrow(/hostname lookup 'nope' failed/);
  });

  it('pages its log, with the total beside it', () => {
    const page = reply('/nodes/pve1/firewall/log', { query: { start: '2', limit: '3' } });
    expect(page.extra).toEqual({ total: 120 });
    expect(page.data).toMatchObject([{ n: 3 }, { n: 4 }, { n: 5 }]);
    expect(rows('/nodes/pve1/firewall/log')).toHaveLength(50);
    expect(rows('/nodes/pve1/qemu/100/firewall/log').every((line) => String(line.t).startsWith('100 '))).toBe(true);
    expect(reply('/nodes/pve1/lxc/200/firewall/log')).toMatchObject({ data: [{ n: 1, t: 'no content' }], extra: { total: 1 } });
  });

  it("a vnet's rules need a right on the vnet; one that does not run is none", () => {
    const identity = world.areas.access.tokens.noacl.id;
    expect(() => ask('/cluster/sdn/vnets/labnet/firewall/rules', { identity })).toThrow(
      'Permission check failed (/sdn/zones/lab/labnet, SDN.Audit|SDN.Allocate)',
    );
    expect(() => ask('/cluster/sdn/vnets/tenant1/firewall/rules')).toThrow(/^invalid vnet specified at /);
  });

  it('7.4 knows neither scopes, forward rules nor nftables', () => {
    const old = createAsker({ release: '7.4' });
    expect(old.rows('/cluster/firewall/refs')[0]).not.toHaveProperty('scope');
    expect(old.rows('/cluster/firewall/rules').map((rule) => rule.type)).not.toContain('forward');
    expect(old.row('/nodes/pve1/firewall/options')).not.toHaveProperty('nftables');
  });
});
