/*
 * What is wrong with the embedded cluster, for the health checks to find, and beside each the near miss they must not
 * report. The ids name the finding; tests refer to them. Guests and nodes are those of the hand-made cluster.
 *
 * id                    fault                                                     near miss
 * --------------------  --------------------------------------------------------  -------------------------------------------
 * A-admin-no-tfa        anna@pve: Administrator on / by group, no second factor   bjorn@pve: same group, with TOTP
 * A-token-privsep-off   anna@pve!deploy, root@pam!terraform: privsep 0, no end    ops@pve!full: privsep 1, with an end
 * A-root-token          root@pam!terraform                                        ops@pve!full: as mighty, but named
 * A-token-expired       bjorn@pve!old                                             bjorn@pve!ci: 24 days to go
 * A-disabled-rights     erik@pve: disabled, PVEVMAdmin on /vms, token no end      hana@pve: disabled, no rights
 * A-user-expired        frida@corp-ldap: expired, still in operators              (accounts without an end)
 * A-dangling-acl        gustav@corp-ldap: entry of a user that is gone            sam@sso: from another realm, exists
 * A-legacy-keys         dora@corp-ldap: a TOTP seed in `keys`                     emil@corp-ldap: the marker `x!oath`
 * A-recovery-only       carla@pve: recovery keys and nothing else                 ivo@plant-ad: TOTP, though locked
 * A-noaccess            visitor@pve, mcp@pve!blind-one: NoAccess on one guest     (all other entries)
 * A-not-propagated      dana@pve!panel: Watcher on /nodes, propagate 0            watchers: the same for the group
 * A-nested-pool         sam@sso: PVEVMUser (reads files in guests) on prod/web    operators: PVEVMAdmin on prod
 * F-guest-off           VM 104: rules, but the guest's firewall is not on         CT 204: off as well, but no rules
 * F-nic-off             VM 111: on, rules, but net0 has firewall=0                VM 112: one NIC of four is filtered
 * F-node-off            pve2: rules, but enable 0                                 pve1: on; pve3: no options at all (= on)
 * F-vnet-inert          labnet: forward rules, but no node has nftables           (no vnet without rules on it is inert)
 * F-open-policy         VM 120: policy_in ACCEPT                                  VM 112: ACCEPT, with a DROP rule
 * F-open-rdp            VM 122: RDP from anywhere                                 VM 111: RDP from an IP set
 * F-dead-reference      VM 101: alias reporting_net, VM 116: set partners         VM 100: alias office, its own
 * F-unused-group        security group `unused`                                   webserver: used by VM 100
 * F-disabled-ssh        (cluster rule 2 is switched off)                          SSH from anywhere, enable 0
 * H-error               ct:220 in error                                           vm:116 locked by a backup, started
 * H-missing             vm:9901: no such guest, `not found`                       vm:130: guest exists, node is off
 * H-fence               vm:130 in fence, pve3 gone                                (other resources)
 * H-dead-lrm            lrm:pve2: two hours old though the node is online         lrm:pve1: seconds old
 * H-unsatisfiable       three-apart: 3 guests apart on 2 online nodes;            db-files-apart: 2 guests apart
 *                       replica-pinned: strict, only node is off                  old-move: the same, but disabled
 * H-rule-conflict       web-again: second node affinity of vm:100                 web-on-pve1
 * R-failing             112-0: 4 failures                                         101-0: slow (61 s), but on time
 * R-lagging             203-0: every 15 min, last 26 h ago, no error              109-0: last 40 d ago, but disabled
 * R-never               205-0: never run                                          121-0: no schedule of its own, runs
 * R-source-off          131-0: source pve3 is off, only in the cluster's list     (jobs of pve1 and pve2)
 * S-pending             office, campus changed; overlay, tenant1 new;             labnet, voice: applied
 *                       retired deleted
 * S-zone-error          campus on pve2: interface missing                         lab on pve2
 * N-target-disabled     pager: disabled, yet backup-failures sends to it          legacy: disabled and unused
 * N-matcher-disabled    replication-quiet                                         default-matcher
 * N-metrics-off         graphite-old                                              influx
 * C-osd-down            osd.3 down, 41 groups degraded, HEALTH_WARN               osd.1, also the second of its host
 * C-flag                noscrub set                                               the other flags
 * C-versions            19.2.3 on pve1, 19.2.2 on pve2                            (same major release)
 * M-certificate         pve2 pveproxy-ssl.pem: 9 days                             pve1 pve-ssl.pem: 74 days
 * M-package-drift       pve2: older pve-manager and QEMU than pve1                smartmontools: equal everywhere
 * M-reboot              pve2: current kernel installed, previous one running      pve1: the older kernel is installed, too
 * M-updates             pve2: 6 updates, 2 of them security                       pve1: 2, none of Proxmox
 * M-clock               pve2: 47 s ahead, chrony stopped                          pve1: 0 s
 * M-service             pve2: pve-ha-lrm failed                                   postfix `exited`, syslog `not-found`
 * M-no-subscription     pve2                                                      pve1: community level
 * M-repository          pve2: a sources file with an error                        pve1: a disabled test repository
 * M-network-pending     pve1: MTU change not applied                              pve2: nothing pending
 */
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
