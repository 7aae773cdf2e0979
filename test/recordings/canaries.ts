import type { RecordedRole } from './recording-set.ts';

/**
 * The secrets that were planted in the recorded cluster. None of these texts may appear in anything the server says,
 * whatever it was asked; their encoded forms neither. They open nothing.
 */
export interface RecordedCanary {
  /** What it is, for the message of a failing test. */
  readonly what: string;
  /** Every text to search for: as it arrives, and as it reads when decoded. */
  readonly forms: readonly string[];
  /** A path that hands it out. */
  readonly path: string;
  /** Tokens that get to see it. */
  readonly seenBy: readonly RecordedRole[];
  /** It stands in free text (notes), which is cleaned as well as patterns can and shown only where it was asked for. */
  readonly freeText?: boolean;
}

const ALL_BUT_NOACL: readonly RecordedRole[] = ['full', 'readonly'];

export const RECORDED_CANARIES: readonly RecordedCanary[] = [
  {
    what: 'password in the notes of VM 100',
    forms: ['hunter2-NOT-REAL'],
    path: '/nodes/pve1/qemu/100/config',
    seenBy: ALL_BUT_NOACL,
    freeText: true,
  },
  {
    what: 'API key in the notes of VM 102',
    forms: ['AKIAFAKEFAKEFAKE1234'],
    path: '/nodes/pve1/qemu/102/config',
    seenBy: ALL_BUT_NOACL,
    freeText: true,
  },
  {
    what: 'IPMI password in the notes of node pve1',
    forms: ['admin:admin123', 'admin123'],
    path: '/nodes/pve1/config',
    seenBy: ALL_BUT_NOACL,
    freeText: true,
  },
  {
    what: 'secret in the QEMU arguments of VM 101',
    forms: ['scsi0.secret=AbC', 'secret=AbC'],
    path: '/nodes/pve1/qemu/101/config',
    seenBy: ALL_BUT_NOACL,
  },
  {
    what: 'SSH public key (ed25519) of the cloud-init of VM 100',
    forms: ['AAAAC3NzaC1lZDI1NTE5AAAAIFAKEKEYFAKEKEYFAKEKEYFAKEKEYFAKEKEYFAKE'],
    path: '/nodes/pve1/qemu/100/config',
    seenBy: ALL_BUT_NOACL,
  },
  {
    what: 'SSH public key (RSA) of the cloud-init of VM 100',
    forms: ['AAAAB3FAKE'],
    path: '/nodes/pve1/qemu/100/config',
    seenBy: ALL_BUT_NOACL,
  },
  {
    what: 'hash of the cloud-init password of VM 100',
    forms: ['$5$Zm9vYmFy$u2ZhbHNlaGFzaGZvcnRlc3Rpbmdvbmx5MTIzNDU2Nzg5MA', 'u2ZhbHNlaGFzaGZvcnRlc3Rpbmdvbmx5MTIzNDU2Nzg5MA'],
    path: '/nodes/pve1/qemu/100/cloudinit/dump',
    seenBy: ['full'],
  },
  {
    what: 'environment of CT 200: DB_PASSWORD',
    forms: ['container-secret-1'],
    path: '/nodes/pve1/lxc/200/config',
    seenBy: ['full'],
  },
  { what: 'environment of CT 200: API_TOKEN', forms: ['tok-abc'], path: '/nodes/pve1/lxc/200/config', seenBy: ['full'] },
  {
    what: 'raw lxc.environment line of CT 200',
    forms: ['SECRET_FROM_LXC_KEY=zzz'],
    path: '/nodes/pve1/lxc/200/config',
    seenBy: ['full'],
  },
  {
    what: 'password in the proxy URL of the datacenter options',
    forms: ['proxyPASS'],
    path: '/cluster/options',
    seenBy: ALL_BUT_NOACL,
  },
  {
    what: 'client secret of the OpenID realm sso',
    forms: ['s3cr3t-OIDC-client-key'],
    path: '/access/domains/sso',
    seenBy: ALL_BUT_NOACL,
  },
  { what: 'NetBox token of an SDN IPAM', forms: ['netbox-SECRET-token-1'], path: '/cluster/sdn/ipams', seenBy: ALL_BUT_NOACL },
  { what: 'phpIPAM token of an SDN IPAM', forms: ['phpipam-SECRET'], path: '/cluster/sdn/ipams', seenBy: ALL_BUT_NOACL },
  { what: 'PowerDNS key of an SDN DNS', forms: ['pdns-SECRET-key'], path: '/cluster/sdn/dns', seenBy: ALL_BUT_NOACL },
  {
    what: 'headers of an OpenTelemetry metric server (base64 of JSON)',
    forms: ['eyJBdXRob3JpemF0aW9uIjoiQmVhcmVyIE9URUwtU0VDUkVUIn0', 'OTEL-SECRET'],
    path: '/cluster/metrics/server/otel1',
    seenBy: ALL_BUT_NOACL,
  },
  {
    what: 'Authorization header of the webhook chatops (base64)',
    forms: ['QmVhcmVyIEhFQURFUi1TRUNSRVQtMQ', 'HEADER-SECRET-1'],
    path: '/cluster/notifications/endpoints/webhook',
    seenBy: ALL_BUT_NOACL,
  },
  {
    what: 'Ceph manager key in the config database',
    forms: ['SECRETKEY'],
    path: '/nodes/pve1/ceph/cfg/db',
    seenBy: ALL_BUT_NOACL,
  },
];

/** Every text of every canary. */
export const CANARY_FORMS: readonly string[] = RECORDED_CANARIES.flatMap(({ forms }) => forms);
