/**
 * Privileges that the product asks about, over all supported releases.
 * Anything else that a token holds is only ever listed, never asked for.
 */
export const AUDIT_PRIVILEGES = [
  'Sys.Audit',
  'VM.Audit',
  'Datastore.Audit',
  'Pool.Audit',
  'SDN.Audit',
  'Mapping.Audit',
  'VM.GuestAgent.Audit',
] as const;

/** Privileges beyond PVEAuditor that open further reads. */
export const OPTIONAL_PRIVILEGES = [
  'Sys.Syslog',
  'Datastore.AllocateSpace',
  'VM.Backup',
  'VM.Config.Disk',
  'Sys.Modify',
  'Datastore.Allocate',
  'SDN.Use',
  'VM.Monitor',
  'VM.GuestAgent.Unrestricted',
  'User.Modify',
  'VM.Config.Options',
  'VM.Console',
] as const;

export type Privilege = (typeof AUDIT_PRIVILEGES)[number] | (typeof OPTIONAL_PRIVILEGES)[number];
