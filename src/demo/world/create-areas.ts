import { createAccess } from './access-data.ts';
import type { DemoAreas } from './area-types.ts';
import { createCeph } from './ceph-data.ts';
import { createConfig } from './config-data.ts';
import { createFirewall } from './firewall-data.ts';
import { createHa, createReplication } from './ha-data.ts';
import { createMaintenance } from './maintenance-data.ts';
import { createSdn } from './sdn-data.ts';
import type { WorldCore } from './types.ts';

export type { DemoAreas } from './area-types.ts';

/** Builds everything that lies around guests, storage and tasks; see the table above for what is wrong with it. */
export function createAreas(core: WorldCore): DemoAreas {
  return {
    access: createAccess(core),
    firewall: createFirewall(core),
    ha: createHa(core),
    replication: createReplication(core),
    sdn: createSdn(core),
    config: createConfig(core),
    ceph: createCeph(core),
    maintenance: createMaintenance(core),
  };
}
