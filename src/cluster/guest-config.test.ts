import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { ApiError } from '../api/errors.ts';
import { agentEnabled, explainingRefusal, parseGuestConfig, summarizeConfig } from './guest-config.ts';

const MIB = 2 ** 20;

describe('a configuration', () => {
  test('numbers come as numbers or texts', () => {
    for (const memory of [2048, '2048', 'current=2048']) {
      expect(summarizeConfig(parseGuestConfig({ memory, sockets: '2', cores: 4 }, 'qemu'))).toMatchObject({
        memory: 2048 * MIB,
        cpus: 8,
      });
    }
  });

  test('what is absent has the default of the API, and says so', () => {
    expect(summarizeConfig(parseGuestConfig({}, 'qemu'))).toMatchObject({
      cpus: 1,
      memory: 512 * MIB,
      agent: false,
      onBoot: false,
      defaults: ['memory', 'cores'],
    });
    expect(summarizeConfig(parseGuestConfig({}, 'lxc'))).toMatchObject({
      cpus: undefined,
      topology: 'all cores of the host',
      memory: 512 * MIB,
      swap: 512 * MIB,
      unprivileged: false,
    });
  });

  test('swap 0 is none, not the default', () => {
    expect(summarizeConfig(parseGuestConfig({ swap: 0, memory: 256 }, 'lxc'))).toMatchObject({ swap: 0, defaults: [] });
  });

  test('plugged-in CPUs count, a limit of 0 is none, a balloon of 0 is off', () => {
    const summary = summarizeConfig(parseGuestConfig({ cores: 4, vcpus: 2, cpulimit: 0, balloon: 0 }, 'qemu'));
    expect(summary).toMatchObject({ cpus: 2, cpuLimit: undefined, balloonMin: undefined });
    expect(summarizeConfig(parseGuestConfig({ cpulimit: '2.5', balloon: '1024', memory: 4096 }, 'qemu'))).toMatchObject({
      cpuLimit: 2.5,
      balloonMin: 1024 * MIB,
    });
  });

  test.each([
    ['1', true],
    ['1,fstrim_cloned_disks=1', true],
    ['enabled=1,type=virtio', true],
    ['0', false],
    ['enabled=0', false],
    ['type=isa', false],
    [undefined, false],
  ])('agent %s', (value, enabled) => {
    expect(agentEnabled(value)).toBe(enabled);
  });

  test('raw lines of a container keep their order, whichever form they come in', () => {
    const config = parseGuestConfig({ lxc: [['lxc.a', 'x'], 'lxc.b = y', ['lxc.c'], null, 7, {}] }, 'lxc');
    expect(config.rawLines).toEqual([
      { key: 'lxc.a', value: 'x' },
      { key: 'lxc.b', value: 'y' },
      { key: 'lxc.c', value: '' },
    ]);
  });

  test('keys are summaries; notes and keys are no values', () => {
    const config = parseGuestConfig(
      { description: 'a\nb', sshkeys: [{ type: 'ssh-rsa', fingerprint: null, comment: '' }, 3] },
      'qemu',
    );
    expect(config.values.size).toBe(0);
    expect(config.notes).toBe('a\nb');
    expect(config.sshKeys).toEqual([{ type: 'ssh-rsa', fingerprint: undefined, comment: undefined }]);
  });

  test.each([[null], ['text'], [[]], [42]])('%j is an empty one', (data) => {
    expect(parseGuestConfig(data, 'qemu')).toMatchObject({ disks: [], nics: [], sshKeys: [], rawLines: [] });
  });
});

describe('the refusal of a container with environment variables', () => {
  const refusal = new ApiError('forbidden', 'no', { needs: 'VM.Config.Options on /vms/100', status: 403 });

  test('is explained', async () => {
    await expect(explainingRefusal(guestOf({ type: 'lxc' }), () => Promise.reject(refusal))).rejects.toMatchObject({
      kind: 'forbidden',
      needs: 'VM.Config.Options on /vms/100',
      message: expect.stringContaining('environment variables'),
    });
  });

  test('is no explanation for others', async () => {
    await expect(explainingRefusal(guestOf(), () => Promise.reject(refusal))).rejects.toBe(refusal);
    const other = new ApiError('forbidden', 'no', { needs: 'VM.Audit on /vms/100' });
    await expect(explainingRefusal(guestOf({ type: 'lxc' }), () => Promise.reject(other))).rejects.toBe(other);
  });
});
