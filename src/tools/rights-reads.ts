import type { EndpointPath } from '../api/endpoints.ts';

/** What `call.rights.over` may read to tell whether a filtered list is complete. Cached for the identity. */
export const RIGHTS_READS = [
  '/access/permissions',
  '/access/acl',
  '/access/roles',
  '/access/users/{userid}',
] as const satisfies readonly EndpointPath[];
