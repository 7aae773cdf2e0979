import { describe, expect, it } from 'vitest';
import { createAsker } from './area-request.fixture.ts';

const { ask, rows } = createAsker();

describe('hardware', () => {
  it('leaves out bridges, memory controllers and processors unless asked otherwise', () => {
    const all = rows('/nodes/pve1/hardware/pci', { query: { 'pci-class-blacklist': '' } });
    const usual = rows('/nodes/pve1/hardware/pci');
    expect(all.length).toBe(usual.length + 1);
    expect(usual.some((device) => String(device.class).startsWith('0x06'))).toBe(false);
    expect(rows('/nodes/pve1/hardware/pci', { query: { verbose: '0' } })[0]).toEqual({ id: '0000:01:00.0' });
  });

  it('mediated types can be asked by address and by mapping', () => {
    expect(rows('/nodes/pve1/hardware/pci/0000:01:00.0/mdev')).toEqual(rows('/nodes/pve1/hardware/pci/gpu-a/mdev'));
    expect(rows('/nodes/pve1/hardware/pci/0000:41:00.0/mdev')).toEqual([]);
    expect(() => ask('/nodes/pve2/hardware/pci/nic-fast/mdev')).toThrow(expect.objectContaining({ status: 500 }));
  });

  it('machines and models follow the release', () => {
    const ids = (release: '7.4' | '9.2.11') =>
      createAsker({ release })
        .rows('/nodes/pve1/capabilities/qemu/machines')
        .map((machine) => machine.id);
    expect(ids('7.4')).toContain('pc-q35-7.2');
    expect(ids('9.2.11')).toContain('pc-q35-10.2');
    expect(
      rows('/nodes/pve1/capabilities/qemu/cpu')
        .filter((model) => model.custom === 1)
        .map((model) => model.name),
    ).toEqual(['custom-harbour']);
    expect(rows('/cluster/qemu/cpu-flags').find((flag) => flag.name === 'spec-ctrl')?.['supported-on']).toEqual(['pve2']);
  });
});
