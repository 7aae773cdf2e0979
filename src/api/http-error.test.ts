import { describe, expect, test } from 'vitest';
import type { EndpointPath } from './endpoints.ts';
import { errorFromAnswer } from './http-error.ts';

const answer = (status: number, reason: string, body = '') => ({ status, reason, body, contentType: '', serverTime: undefined });
const node = { node: 'pve1', vmid: 100, storage: 'nfs' };
const RELEASE_8 = { major: 8, minor: 4, text: '8.4.1' };

describe('meaning of an unsuccessful answer', () => {
  const cases: [string, EndpointPath, ReturnType<typeof answer>, string, RegExp][] = [
    [
      '401 without a body',
      '/version',
      answer(401, 'Authentication failed!'),
      'unauthenticated',
      /refused the token \(Authentication failed!?\)/,
    ],
    [
      '403 names privilege and path from the text',
      '/nodes/{node}/qemu/{vmid}/config',
      answer(403, 'Permission check failed (/vms/100, VM.Audit)'),
      'forbidden',
      /needs VM\.Audit on \/vms\/100/,
    ],
    [
      '403 with an any-list',
      '/nodes/{node}/storage/{storage}/content',
      answer(
        403,
        'x',
        '{"data":null,"message":"Permission check failed (/storage/nfs, Datastore.Audit|Datastore.AllocateSpace)\\n"}',
      ),
      'forbidden',
      /Datastore\.Audit or Datastore\.AllocateSpace on \/storage\/nfs/,
    ],
    [
      '403 without a text takes the declaration',
      '/nodes/{node}/journal',
      answer(403, ''),
      'forbidden',
      /needs Sys\.Syslog on \/nodes\/pve1/,
    ],
    [
      '403 root only',
      '/cluster/backup',
      answer(403, 'Permission check failed (user != root@pam)'),
      'forbidden',
      /root@pam itself/,
    ],
    [
      '595',
      '/nodes/{node}/status',
      answer(595, 'No route to host'),
      'node-unreachable',
      /Node pve1 cannot be reached.*No route to host/,
    ],
    ['596', '/nodes/{node}/status', answer(596, 'Connection timed out'), 'timeout', /Node pve1 did not answer/],
    [
      '596 with a certificate text is about the nodes, not about us',
      '/nodes/{node}/status',
      answer(596, 'tls_process_server_certificate: certificate verify failed'),
      'node-unreachable',
      /nodes do not trust/,
    ],
    [
      '501',
      '/cluster/ha/rules',
      answer(501, "Method 'GET /cluster/ha/rules' not implemented"),
      'unsupported-by-this-release',
      /8\.4\.1.*no \/cluster\/ha\/rules/,
    ],
    [
      '400 with errors',
      '/nodes/{node}/tasks',
      answer(400, 'Parameter verification failed.', '{"data":null,"errors":{"limit":"type check failed\\n"}}'),
      'bad-parameter',
      /limit: type check failed/,
    ],
    [
      '400 that means not found',
      '/nodes/{node}/tasks/{upid}/status',
      answer(400, 'Parameter verification failed.', '{"data":null,"errors":{"upid":"no such task"}}'),
      'not-found',
      /no such task/,
    ],
    [
      '500 that means not found',
      '/nodes/{node}/qemu/{vmid}/config',
      answer(500, "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist"),
      'not-found',
      /does not exist/,
    ],
    [
      'wrong node',
      '/nodes/{node}/status',
      answer(500, "hostname lookup 'nope' failed - failed to get address info for: nope: Name or service not known"),
      'wrong-node',
      /no node pve1/,
    ],
    [
      'no Ceph',
      '/nodes/{node}/ceph/osd',
      answer(500, 'binary not installed: /usr/bin/ceph-mon'),
      'not-configured',
      /Ceph is not set up/,
    ],
    [
      'Ceph without its configuration',
      '/nodes/{node}/ceph/osd',
      answer(500, 'rados_connect failed - No such file or directory'),
      'not-configured',
      /Ceph is not set up/,
    ],
    [
      'Ceph whose monitors are silent is not absent',
      '/cluster/ceph/status',
      answer(500, 'rados_connect failed - Operation timed out'),
      'timeout',
      /Ceph does not answer/,
    ],
    [
      'a node that happens to be called standalone',
      '/nodes/{node}/qemu/{vmid}/config',
      answer(500, "Configuration file 'nodes/standalone/qemu-server/100.conf' does not exist"),
      'not-found',
      /does not exist/,
    ],
    [
      'a stopped guest',
      '/nodes/{node}/qemu/{vmid}/agent/get-osinfo',
      answer(500, 'VM 100 is not running'),
      'not-configured',
      /guest is not running/,
    ],
    [
      'a service that is down is no stopped guest',
      '/cluster/ha/status/current',
      answer(500, 'pve-ha-crm is not running'),
      'upstream',
      /pve-ha-crm/,
    ],
    [
      'HA groups gone',
      '/cluster/ha/groups',
      answer(500, 'cannot index groups: ha groups have been migrated to rules'),
      'not-configured',
      /migrated to rules/,
    ],
    [
      'mute agent',
      '/nodes/{node}/qemu/{vmid}/agent/get-osinfo',
      answer(500, 'QEMU guest agent is not running'),
      'timeout',
      /agent does not answer/,
    ],
    ['redirect', '/version', answer(301, 'Moved'), 'unreachable', /never followed/],
    ['nothing at all', '/version', answer(502, ''), 'upstream', /502 without a text/],
  ];
  test.each(cases)('%s', (_, path, raw, kind, message) => {
    const error = errorFromAnswer(path, node, raw, RELEASE_8);
    expect(error.kind).toBe(kind);
    expect(`${error.message} needs ${error.needs}`).toMatch(message);
    expect(error.message.length).toBeLessThan(400);
  });

  test('server paths, further lines and secrets stay outside', () => {
    const error = errorFromAnswer(
      '/nodes/{node}/storage/{storage}/content',
      node,
      answer(
        500,
        'x',
        JSON.stringify({
          data: null,
          message: 'mount error: password=hunter2canary failed at /usr/share/perl5/PVE/Storage.pm line 12.\nmore lines',
        }),
      ),
      undefined,
    );
    expect(error.message).not.toMatch(/perl5|hunter2canary|more lines/);
    expect(error.message).toMatch(/mount error/);
  });

  test('the privilege of agent reads depends on the release', () => {
    const path = '/nodes/{node}/qemu/{vmid}/agent/get-osinfo';
    expect(errorFromAnswer(path, node, answer(403, ''), RELEASE_8).needs).toBe('VM.Monitor on /vms/100');
    expect(errorFromAnswer(path, node, answer(403, ''), { major: 9, minor: 0, text: '9.0' }).needs).toContain(
      'VM.GuestAgent.Audit',
    );
  });

  test('no hint of any error suggests switching verification off', () => {
    for (const [, path, raw] of cases) {
      const error = errorFromAnswer(path, node, raw, RELEASE_8);
      expect(`${error.message} ${error.hint ?? ''}`).not.toMatch(/VERIFY_TLS|insecure|disable/i);
    }
  });
});
