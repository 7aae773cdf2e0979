/**
 * JSON types of the answers of a real 9.2 cluster, distilled: keys and types only. A path is written from the `data`
 * member (`@`) downwards, `[]` = every element, `.*` = every key of a map; `?` = not in every object, or a matter of
 * configuration; `+` = beside `data`. Types: s string, n number, b boolean, z null, a array, o object. Keys that no real
 * answer at hand had, but the API's schema names, are optional ones. `?pending` and `?running` behind a template are
 * query parameters.
 */
export const AREA_SHAPES: readonly { readonly templates: readonly string[]; readonly shape: string }[] = [
  { templates: ['/access/acl'], shape: '@:a []:o [].path:s [].propagate:n [].roleid:s [].type:s [].ugid:s' },
  { templates: ['/access/domains'], shape: '@:a []:o [].comment?:s [].default?:n [].realm:s [].tfa?:s [].type:s' },
  {
    templates: ['/access/domains/{realm}'],
    shape:
      '.autocreate?:n .base_dn?:s .bind_dn?:s .case-sensitive?:n .client-id?:s .client-key?:s .comment?:s .default?:n .digest:s .domain?:s .filter?:s .group_classes?:s .issuer-url?:s .mode?:s .plugin?:s .port?:n .prompt?:s .scopes?:s .secure?:n .server1?:s .server2?:s .sync-defaults-options?:s .sync_attributes?:s .tfa?:s .type:s .user_attr?:s .username-claim?:s .verify?:n @:o',
  },
  { templates: ['/access/groups'], shape: '@:a []:o [].comment?:s [].groupid:s [].users:s' },
  { templates: ['/access/groups/{groupid}'], shape: '.comment?:s .members:a .members[]:s @:o' },
  { templates: ['/access/roles'], shape: '@:a []:o [].privs:s [].roleid:s [].special:n' },
  { templates: ['/access/roles/{roleid}'], shape: '.*:n @:o' },
  {
    templates: ['/access/tfa'],
    shape:
      '@:a []:o [].entries:a [].entries[]:o [].entries[].created:n [].entries[].description?:s [].entries[].enable?:n [].entries[].id:s [].entries[].type:s [].tfa-locked-until?:n [].totp-locked?:n [].userid:s',
  },
  { templates: ['/access/tfa/{userid}'], shape: '@:a []:o [].created:n [].description?:s [].enable?:n [].id:s [].type:s' },
  { templates: ['/access/tfa/{userid}/{id}'], shape: '.created:n .description?:s .enable?:n .id:s .type:s @:o' },
  {
    templates: ['/access/users'],
    shape:
      '@:a []:o [].comment?:s [].email:s [].enable:n [].expire:n [].firstname?:s [].groups?:s [].keys?:s [].lastname?:s [].realm-type:s [].tfa-locked-until?:n [].tokens?:az [].tokens[]:o [].tokens[].comment?:s [].tokens[].expire:n [].tokens[].privsep:n [].tokens[].tokenid:s [].totp-locked?:n [].userid:s',
  },
  {
    templates: ['/access/users/{userid}'],
    shape:
      '.comment?:s .email:s .enable:n .expire:n .firstname?:s .groups:a .groups[]:s .keys?:s .lastname?:s .tokens:oz .tokens.*:o .tokens.*.comment?:s .tokens.*.expire:n .tokens.*.privsep:n @:o',
  },
  { templates: ['/access/users/{userid}/tfa'], shape: '.realm?:s .types?:a .user?:s @:o' },
  { templates: ['/access/users/{userid}/token'], shape: '@:a []:o [].comment?:s [].expire:n [].privsep:n [].tokenid:s' },
  { templates: ['/access/users/{userid}/token/{tokenid}'], shape: '.comment?:s .expire:n .privsep:n @:o' },
  { templates: ['/cluster/config/apiversion'], shape: '@:s' },
  {
    templates: ['/cluster/config/join'],
    shape:
      '.config_digest:s .nodelist:a .nodelist[]:o .nodelist[].name:s .nodelist[].nodeid:s .nodelist[].pve_addr:s .nodelist[].pve_fp:s .nodelist[].quorum_votes:s .nodelist[].ring0_addr:s .nodelist[].ring1_addr?:s .preferred_node:s .totem:o .totem.cluster_name:s .totem.config_version:s .totem.interface:o .totem.interface.*:o .totem.interface.*.linknumber:s .totem.ip_version:s .totem.link_mode:s .totem.secauth:s .totem.version:s @:o',
  },
  {
    templates: ['/cluster/config/nodes'],
    shape: '@:a []:o [].name:s [].node:s [].nodeid:s [].quorum_votes:s [].ring0_addr:s [].ring1_addr?:s',
  },
  { templates: ['/cluster/config/qdevice'], shape: '@:o' },
  {
    templates: ['/cluster/config/totem'],
    shape:
      '.cluster_name:s .config_version:s .interface:o .interface.*:o .interface.*.linknumber:s .ip_version:s .link_mode:s .secauth:s .version:s @:o',
  },
  {
    templates: [
      '/cluster/firewall/aliases',
      '/nodes/{node}/lxc/{vmid}/firewall/aliases',
      '/nodes/{node}/qemu/{vmid}/firewall/aliases',
    ],
    shape: '@:a []:o [].cidr:s [].comment?:s [].digest:s [].ipversion:n [].name:s',
  },
  {
    templates: [
      '/cluster/firewall/aliases/{name}',
      '/nodes/{node}/lxc/{vmid}/firewall/aliases/{name}',
      '/nodes/{node}/qemu/{vmid}/firewall/aliases/{name}',
    ],
    shape: '.cidr:s .comment?:s .ipversion:n .name:s @:o',
  },
  { templates: ['/cluster/firewall/groups'], shape: '@:a []:o [].comment?:s [].digest:s [].group:s' },
  {
    templates: [
      '/cluster/firewall/groups/{group}',
      '/cluster/firewall/rules',
      '/cluster/sdn/vnets/{vnet}/firewall/rules',
      '/nodes/{node}/firewall/rules',
      '/nodes/{node}/lxc/{vmid}/firewall/rules',
      '/nodes/{node}/qemu/{vmid}/firewall/rules',
    ],
    shape:
      '@:a []:o [].action:s [].comment?:s [].dest?:s [].digest:s [].dport?:s [].enable:n [].errors?:o [].errors.source:s [].icmp-type?:s [].iface?:s [].ipversion?:n [].log?:s [].macro?:s [].pos:n [].proto?:s [].source?:s [].sport?:s [].type:s',
  },
  {
    templates: ['/cluster/firewall/groups/{group}/{pos}'],
    shape:
      '.action:s .comment?:s .dest?:s .digest:s .dport?:s .enable:n .icmp-type?:s .iface?:s .ipversion?:n .log?:s .macro?:s .pos:s .proto?:s .source?:s .sport?:s .type:s @:o',
  },
  {
    templates: ['/cluster/firewall/ipset', '/nodes/{node}/lxc/{vmid}/firewall/ipset', '/nodes/{node}/qemu/{vmid}/firewall/ipset'],
    shape: '@:a []:o [].comment?:s [].digest:s [].name:s',
  },
  {
    templates: [
      '/cluster/firewall/ipset/{name}',
      '/nodes/{node}/lxc/{vmid}/firewall/ipset/{name}',
      '/nodes/{node}/qemu/{vmid}/firewall/ipset/{name}',
    ],
    shape: '@:a []:o [].cidr:s [].comment?:s [].digest:s [].nomatch?:n',
  },
  {
    templates: [
      '/cluster/firewall/ipset/{name}/{cidr}',
      '/nodes/{node}/lxc/{vmid}/firewall/ipset/{name}/{cidr}',
      '/nodes/{node}/qemu/{vmid}/firewall/ipset/{name}/{cidr}',
    ],
    shape: '.cidr:s .comment?:s .digest:s @:o',
  },
  {
    templates: ['/cluster/firewall/options'],
    shape: '.digest:s .ebtables:n .enable:n .log_ratelimit:s .policy_forward?:s .policy_in:s .policy_out:s @:o',
  },
  {
    templates: ['/cluster/firewall/refs', '/nodes/{node}/lxc/{vmid}/firewall/refs', '/nodes/{node}/qemu/{vmid}/firewall/refs'],
    shape: '@:a []:o [].comment?:s [].name:s [].ref:s [].scope:s [].type:s',
  },
  {
    templates: [
      '/cluster/firewall/rules/{pos}',
      '/cluster/sdn/vnets/{vnet}/firewall/rules/{pos}',
      '/nodes/{node}/firewall/rules/{pos}',
      '/nodes/{node}/lxc/{vmid}/firewall/rules/{pos}',
      '/nodes/{node}/qemu/{vmid}/firewall/rules/{pos}',
    ],
    shape:
      '.action:s .comment?:s .dest?:s .digest:s .dport?:s .enable:n .errors?:o .errors.source?:s .icmp-type?:s .iface?:s .ipversion?:n .log?:s .macro?:s .pos:s .proto?:s .source?:s .sport?:s .type:s @:o',
  },
  {
    templates: ['/cluster/ha/groups'],
    shape: '@:a []:o [].comment?:s [].digest:s [].group:s [].nodes:s [].nofailback:n [].restricted:n [].type:s',
  },
  {
    templates: ['/cluster/ha/groups/{group}'],
    shape: '.comment?:s .digest:s .group:s .nodes:s .nofailback:n .restricted:n .type:s @:o',
  },
  {
    templates: ['/cluster/ha/resources'],
    shape:
      '@:a []:o [].comment?:s [].digest:s [].failback?:n [].group?:s [].max_relocate?:n [].max_restart?:n [].sid:s [].state:s [].type:s',
  },
  {
    templates: ['/cluster/ha/resources/{sid}'],
    shape: '.comment?:s .digest:s .failback?:n .group?:s .max_relocate?:n .max_restart?:n .sid:s .state:s .type:s @:o',
  },
  {
    templates: ['/cluster/ha/rules'],
    shape:
      '@:a []:o [].affinity?:s [].comment?:s [].digest:s [].disable?:n [].errors?:o [].errors.resources:a [].errors.resources[]:s [].nodes?:s [].order:n [].resources:s [].rule:s [].strict?:n [].type:s',
  },
  {
    templates: ['/cluster/ha/rules/{rule}'],
    shape:
      '.affinity?:s .comment?:s .digest:s .disable?:n .errors?:o .errors.resources:a .errors.resources[]:s .nodes?:s .order:n .resources:s .rule:s .strict?:n .type:s @:o',
  },
  {
    templates: ['/cluster/ha/status/current'],
    shape:
      '@:a []:o [].armed-state?:s [].comment?:s [].crm_state?:s [].failback?:n [].group?:s [].id:s [].max_relocate?:n [].max_restart?:n [].node:sz [].quorate?:n [].request_state?:s [].resource_mode?:s [].sid?:s [].state?:s [].status:s [].timestamp?:n [].type:s',
  },
  {
    templates: ['/cluster/ha/status/manager_status'],
    shape:
      '.lrm_status:o .lrm_status.*:o .lrm_status.*.mode:s .lrm_status.*.results:o .lrm_status.*.state:s .lrm_status.*.timestamp:n .manager_status:o .manager_status.master_node:s .manager_status.node_status:o .manager_status.node_status.*:s .manager_status.service_status:o .manager_status.service_status.*:o .manager_status.service_status.*.node:s .manager_status.service_status.*.running?:n .manager_status.service_status.*.state:s .manager_status.service_status.*.uid:s .manager_status.timestamp:n .quorum:o .quorum.node:s .quorum.quorate:s @:o',
  },
  {
    templates: ['/cluster/jobs/realm-sync'],
    shape:
      '@:a []:o [].comment?:s [].enabled:n [].id:s [].last-run:z [].next-run:n [].realm:s [].remove-vanished:s [].schedule:s [].scope:s [].type:s',
  },
  {
    templates: ['/cluster/jobs/realm-sync/{id}'],
    shape: '.comment?:s .enabled:n .realm:s .remove-vanished:s .schedule:s .scope:s .type:s @:o',
  },
  { templates: ['/cluster/jobs/schedule-analyze'], shape: '@:a []:o [].timestamp:n [].utc:s' },
  {
    templates: ['/cluster/log'],
    shape: '@:a []:o [].id:s [].msg:s [].node:s [].pid:n [].pri:n [].tag:s [].time:n [].uid:s [].user:s',
  },
  {
    templates: ['/cluster/mapping/dir'],
    shape: '@:a []:o [].checks?:a [].description?:s [].digest:s [].id:s [].map:a [].map[]:s [].type:s',
  },
  { templates: ['/cluster/mapping/dir/{id}'], shape: '.digest:s .map:a .map[]:s .type:s @:o' },
  {
    templates: ['/cluster/mapping/pci'],
    shape: '@:a []:o [].checks?:a [].description?:s [].digest:s [].id:s [].map:a [].map[]:s [].mdev:n [].type:s',
  },
  { templates: ['/cluster/mapping/pci/{id}'], shape: '.description?:s .digest:s .map:a .map[]:s .mdev:n .type:s @:o' },
  { templates: ['/cluster/mapping/usb'], shape: '@:a []:o [].description?:s [].digest:s [].id:s [].map:a [].map[]:s [].type:s' },
  { templates: ['/cluster/mapping/usb/{id}'], shape: '.description?:s .digest:s .map:a .map[]:s .type:s @:o' },
  {
    templates: ['/cluster/metrics/export'],
    shape: '.data:a .data[]:o .data[].id:s .data[].metric:s .data[].timestamp:n .data[].type:s .data[].value:n @:o',
  },
  { templates: ['/cluster/metrics/server'], shape: '@:a []:o [].disable?:n [].id:s [].port:n [].server:s [].type:s' },
  {
    templates: ['/cluster/metrics/server/{id}'],
    shape:
      '.bucket?:s .disable?:n .influxdbproto?:s .organization?:s .otel-headers?:s .otel-path?:s .otel-protocol?:s .otel-resource-attributes?:s .path?:s .port:n .proto?:s .server:s .token?:s .type:s .verify-certificate?:n @:o',
  },
  {
    templates: ['/cluster/notifications/endpoints/gotify'],
    shape: '@:a []:o [].comment?:s [].disable?:n [].name:s [].origin:s [].server:s',
  },
  {
    templates: ['/cluster/notifications/endpoints/gotify/{name}'],
    shape: '.comment?:s .digest:s .disable?:n .name:s .origin:s .server:s @:o',
  },
  {
    templates: ['/cluster/notifications/endpoints/sendmail'],
    shape:
      '@:a []:o [].author?:s [].comment?:s [].disable?:n [].from-address?:s [].mailto?:a [].mailto-user:a [].mailto-user[]:s [].name:s [].origin:s',
  },
  {
    templates: ['/cluster/notifications/endpoints/sendmail/{name}'],
    shape:
      '.author?:s .comment?:s .digest:s .disable?:n .from-address?:s .mailto?:a .mailto-user:a .mailto-user[]:s .name:s .origin:s @:o',
  },
  {
    templates: ['/cluster/notifications/endpoints/smtp'],
    shape:
      '@:a []:o [].author:s [].comment?:s [].disable?:n [].from-address:s [].mailto:a [].mailto-user:a [].mailto-user[]:s [].mailto[]:s [].mode:s [].name:s [].origin:s [].port:n [].server:s [].username:s',
  },
  {
    templates: ['/cluster/notifications/endpoints/smtp/{name}'],
    shape:
      '.author:s .comment?:s .digest:s .disable?:n .from-address:s .mailto:a .mailto-user:a .mailto-user[]:s .mailto[]:s .mode:s .name:s .origin:s .port:n .server:s .username:s @:o',
  },
  {
    templates: ['/cluster/notifications/endpoints/webhook'],
    shape:
      '@:a []:o [].body:s [].comment?:s [].disable?:n [].header:a [].header[]:s [].method:s [].name:s [].origin:s [].secret:a [].secret[]:s [].url:s',
  },
  {
    templates: ['/cluster/notifications/endpoints/webhook/{name}'],
    shape:
      '.body:s .comment?:s .digest:s .disable?:n .header:a .header[]:s .method:s .name:s .origin:s .secret:a .secret[]:s .url:s @:o',
  },
  { templates: ['/cluster/notifications/matcher-field-values'], shape: '@:a []:o [].comment?:sz [].field:s [].value:s' },
  {
    templates: ['/cluster/notifications/matchers'],
    shape:
      '@:a []:o [].comment?:s [].disable?:n [].invert-match?:n [].match-calendar?:a [].match-calendar[]:s [].match-field?:a [].match-field[]:s [].match-severity?:a [].match-severity[]:s [].mode?:s [].name:s [].origin:s [].target:a [].target[]:s',
  },
  {
    templates: ['/cluster/notifications/matchers/{name}'],
    shape:
      '.comment?:s .digest:s .disable?:n .invert-match?:n .match-calendar?:a .match-calendar[]:s .match-field?:a .match-field[]:s .match-severity?:a .match-severity[]:s .mode?:s .name:s .origin:s .target:a .target[]:s @:o',
  },
  {
    templates: ['/cluster/notifications/targets'],
    shape: '@:a []:o [].comment?:s [].disable?:n [].name:s [].origin:s [].type:s',
  },
  {
    templates: ['/cluster/options'],
    shape:
      '.allowed-tags:a .allowed-tags[]:s .bwlimit:s .consent-text?:s .console:s .crs:o .crs.ha:s .crs.ha-rebalance-on-start:n .description?:s .email_from:s .fencing?:s .ha:o .ha.shutdown_policy:s .http_proxy:s .keyboard:s .language:s .location?:s .mac_prefix:s .max_workers?:n .migration:o .migration.network:s .migration.type:s .migration_unsecure?:n .next-id:o .next-id.lower:s .next-id.upper:s .notify:o .notify.package-updates:s .registered-tags:a .registered-tags[]:s .replication?:s .tag-style:o .tag-style.color-map:s .tag-style.ordering:s .tag-style.shape:s .u2f:o .u2f.appid:s .user-tag-access:o .user-tag-access.user-allow:s .user-tag-access.user-allow-list:a .user-tag-access.user-allow-list[]:s .webauthn:o .webauthn.id:s .webauthn.origin:s .webauthn.rp:s @:o',
  },
  { templates: ['/cluster/qemu/cpu-flags'], shape: '@:a []:o [].description?:s [].name:s [].supported-on:a [].supported-on[]:s' },
  {
    templates: ['/cluster/qemu/custom-cpu-models'],
    shape:
      '@:a []:o [].cputype:s [].digest:s [].flags:s [].guest-phys-bits?:n [].hidden:n [].hv-vendor-id?:s [].level?:n [].phys-bits:s [].reported-model:s',
  },
  {
    templates: ['/cluster/qemu/custom-cpu-models/{cputype}'],
    shape:
      '.cputype:s .digest:s .flags:s .guest-phys-bits?:n .hidden?:n .hv-vendor-id?:s .level?:n .phys-bits:s .reported-model:s @:o',
  },
  {
    templates: ['/cluster/replication'],
    shape:
      '@:a []:o [].comment?:s [].disable?:n [].guest:n [].id:s [].jobnum:n [].rate?:n [].remove_job?:s [].schedule?:s [].source?:s [].target:s [].type:s',
  },
  {
    templates: ['/cluster/replication/{id}'],
    shape:
      '.comment?:s .digest:s .disable?:n .guest:n .id:s .jobnum:n .rate?:n .remove_job?:s .schedule?:s .source?:s .target:s .type:s @:o',
  },
  {
    templates: ['/cluster/sdn/controllers'],
    shape:
      '@:a []:o [].asn:n [].bgp-multipath-as-relax?:n [].controller:s [].digest:s [].ebgp?:n [].ebgp-multihop?:n [].isis-domain?:s [].isis-ifaces?:s [].isis-net?:s [].loopback?:s [].node?:s [].peers:s [].pending?:o [].state?:s [].type:s',
  },
  {
    templates: ['/cluster/sdn/controllers/{controller}'],
    shape:
      '.asn:n .bgp-multipath-as-relax?:n .controller:s .digest:s .ebgp?:n .ebgp-multihop?:n .isis-domain?:s .isis-ifaces?:s .isis-net?:s .loopback?:s .node?:s .peers:s .pending?:o .state?:s .type:s @:o',
  },
  { templates: ['/cluster/sdn/dns'], shape: '@:a []:o [].digest:s [].dns:s [].key:s [].ttl:n [].type:s [].url:s' },
  { templates: ['/cluster/sdn/dns/{dns}'], shape: '.digest:s .dns:s .key:s .ttl:n .type:s .url:s @:o' },
  { templates: ['/cluster/sdn/ipams'], shape: '@:a []:o [].digest:s [].ipam:s [].section?:n [].token?:s [].type:s [].url?:s' },
  { templates: ['/cluster/sdn/ipams/{ipam}'], shape: '.digest:s .ipam:s .section?:n .token?:s .type:s .url?:s @:o' },
  { templates: ['/cluster/sdn/ipams/{ipam}/status', '/nodes/{node}/netstat'], shape: '@:a' },
  {
    templates: ['/cluster/sdn/vnets'],
    shape:
      '@:a []:o [].alias?:s [].digest:s [].isolate-ports?:n [].pending?:o [].state?:s [].tag?:n [].type:s [].vlanaware?:n [].vnet:s [].zone:s',
  },
  {
    templates: ['/cluster/sdn/vnets/{vnet}'],
    shape: '.alias?:s .digest:s .isolate-ports?:n .pending?:o .state?:s .tag?:n .type:s .vlanaware?:n .vnet:s .zone:s @:o',
  },
  {
    templates: ['/cluster/sdn/vnets/{vnet}/firewall/options'],
    shape: '.digest?:s .enable?:n .log_level_forward?:s .policy_forward?:s @:o',
  },
  {
    templates: ['/cluster/sdn/vnets/{vnet}/subnets'],
    shape:
      '@:a []:o [].cidr:s [].dhcp-dns-server?:s [].dhcp-range:a [].dhcp-range[]:o [].dhcp-range[].end-address:s [].dhcp-range[].start-address:s [].digest:s [].dnszoneprefix?:s [].gateway:s [].id:s [].mask:s [].network:s [].snat?:n [].subnet:s [].type:s [].vnet:s [].zone:s',
  },
  {
    templates: ['/cluster/sdn/vnets/{vnet}/subnets/{subnet}'],
    shape:
      '.cidr:s .dhcp-dns-server:s .dhcp-range:a .dhcp-range[]:o .dhcp-range[].end-address:s .dhcp-range[].start-address:s .digest:s .dnszoneprefix:s .gateway:s .id:s .mask:s .network:s .snat:n .subnet:s .type:s .vnet:s .zone:s @:o',
  },
  {
    templates: ['/cluster/sdn/vnets?pending'],
    shape:
      '@:a []:o [].alias?:s [].digest:z [].pending?:o [].pending.alias?:s [].pending.isolate-ports?:n [].pending.tag?:n [].pending.vlanaware?:n [].pending.zone?:s [].state?:s [].tag?:n [].type:s [].vnet:s [].zone?:s',
  },
  {
    templates: ['/cluster/sdn/vnets?running'],
    shape: '@:a []:o [].alias?:s [].digest:z [].tag?:n [].type:s [].vnet:s [].zone:s',
  },
  {
    templates: ['/cluster/sdn/zones'],
    shape:
      '@:a []:o [].advertise-subnets?:n [].bridge?:s [].bridge-disable-mac-learning?:n [].controller?:s [].dhcp?:s [].digest:s [].disable-arp-nd-suppression?:n [].dns?:s [].dnszone?:s [].exitnodes?:s [].exitnodes-local-routing?:n [].exitnodes-primary?:s [].ipam?:s [].mac?:s [].mtu?:n [].nodes?:s [].peers?:s [].pending?:o [].reversedns?:s [].rt-import?:s [].state?:s [].tag?:n [].type:s [].vlan-protocol?:s [].vrf-vxlan?:n [].vxlan-port?:n [].zone:s',
  },
  {
    templates: ['/cluster/sdn/zones/{zone}'],
    shape:
      '.advertise-subnets?:n .bridge?:s .bridge-disable-mac-learning?:n .controller?:s .dhcp?:s .digest:s .disable-arp-nd-suppression?:n .dns?:s .dnszone?:s .exitnodes?:s .exitnodes-local-routing?:n .exitnodes-primary?:s .ipam?:s .mac?:s .mtu?:n .nodes?:s .peers?:s .pending?:o .reversedns?:s .rt-import?:s .state?:s .tag?:n .type:s .vlan-protocol?:s .vrf-vxlan?:n .vxlan-port?:n .zone:s @:o',
  },
  {
    templates: ['/cluster/sdn/zones?pending'],
    shape:
      '@:a []:o [].bridge?:s [].dhcp?:s [].digest:z [].dns?:s [].dnszone?:s [].ipam?:s [].nodes?:s [].peers?:s [].pending?:o [].pending.controller?:s [].pending.dhcp?:s [].pending.dns?:s [].pending.dnszone?:s [].pending.exitnodes?:s [].pending.ipam?:s [].pending.mac?:s [].pending.mtu?:n [].pending.peers?:s [].pending.rt-import?:s [].pending.vrf-vxlan?:n [].state?:s [].type:s [].zone:s',
  },
  {
    templates: ['/cluster/sdn/zones?running'],
    shape:
      '@:a []:o [].bridge?:s [].dhcp?:s [].digest:z [].dns?:s [].dnszone?:s [].ipam:s [].nodes?:s [].peers?:s [].type:s [].zone:s',
  },
  {
    templates: ['/nodes/{node}/apt/repositories'],
    shape:
      '.digest:s .errors:a .errors[]:o .errors[].error:s .errors[].path:s .files:a .files[]:o .files[].content?:s .files[].digest:a .files[].digest[]:n .files[].file-type:s .files[].path:s .files[].repositories:a .files[].repositories[]:o .files[].repositories[].Comment?:s .files[].repositories[].Components:a .files[].repositories[].Components[]:s .files[].repositories[].Enabled:n .files[].repositories[].FileType:s .files[].repositories[].Options?:a .files[].repositories[].Options[]:o .files[].repositories[].Options[].Key:s .files[].repositories[].Options[].Values:a .files[].repositories[].Options[].Values[]:s .files[].repositories[].Suites:a .files[].repositories[].Suites[]:s .files[].repositories[].Types:a .files[].repositories[].Types[]:s .files[].repositories[].URIs:a .files[].repositories[].URIs[]:s .infos:a .infos[]:o .infos[].index:n .infos[].kind:s .infos[].message:s .infos[].path:s .infos[].property?:s .standard-repos:a .standard-repos[]:o .standard-repos[].description?:s .standard-repos[].handle:s .standard-repos[].name:s .standard-repos[].status?:n @:o',
  },
  {
    templates: ['/nodes/{node}/apt/update'],
    shape:
      '@:a []:o [].Arch:s [].Description:s [].NotifyStatus?:s [].OldVersion:s [].Origin:s [].Package:s [].Priority:s [].Section:s [].Title:s [].Version:s',
  },
  {
    templates: ['/nodes/{node}/apt/versions'],
    shape:
      '@:a []:o [].Arch:s [].CurrentState:s [].Description:s [].ManagerVersion?:s [].NotifyStatus?:s [].OldVersion?:s [].Origin:s [].Package:s [].Priority:s [].RunningKernel?:s [].Section:s [].Title:s [].Version:s',
  },
  {
    templates: ['/nodes/{node}/certificates/info'],
    shape:
      '@:a []:o [].filename:s [].fingerprint:s [].issuer:s [].notafter:n [].notbefore:n [].pem:s [].public-key-bits:n [].public-key-type:s [].san:a [].san[]:s [].subject:s',
  },
  {
    templates: ['/nodes/{node}/config'],
    shape:
      '.acme?:s .acmedomain0?:s .acmedomain[n]?:s .ballooning-target?:s .description?:s .digest?:s .location?:s .startall-onboot-delay?:s .wakeonlan?:s @:o',
  },
  { templates: ['/nodes/{node}/dns'], shape: '.dns1:s .dns2:s .dns3?:s .search:s @:o' },
  {
    templates: [
      '/nodes/{node}/firewall/log',
      '/nodes/{node}/lxc/{vmid}/firewall/log',
      '/nodes/{node}/qemu/{vmid}/firewall/log',
      '/nodes/{node}/replication/{id}/log',
      '/nodes/{node}/syslog',
    ],
    shape: '+total?:n @:a []:o [].n:n [].t:s',
  },
  {
    templates: ['/nodes/{node}/firewall/options'],
    shape:
      '.digest?:s .enable?:n .log_level_forward?:s .log_level_in?:s .log_level_out?:s .log_nf_conntrack?:n .ndp?:n .nf_conntrack_allow_invalid?:n .nf_conntrack_helpers?:s .nf_conntrack_max?:n .nf_conntrack_tcp_timeout_established?:n .nf_conntrack_tcp_timeout_syn_recv?:n .nftables?:n .nosmurfs?:n .protection_synflood?:n .protection_synflood_burst?:n .protection_synflood_rate?:n .smurf_log_level?:s .tcp_flags_log_level?:s .tcpflags?:n @:o',
  },
  {
    templates: ['/nodes/{node}/hardware/pci'],
    shape:
      '@:a []:o [].class:s [].device:s [].device_name:s [].id:s [].iommugroup:n [].mdev?:n [].subsystem_device:s [].subsystem_device_name?:s [].subsystem_vendor:s [].subsystem_vendor_name:s [].vendor:s [].vendor_name:s',
  },
  {
    templates: ['/nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev'],
    shape: '@:a [].available?:n [].description?:s [].name?:s [].type?:s',
  },
  {
    templates: ['/nodes/{node}/hardware/usb'],
    shape:
      '@:a [].busnum?:n [].class?:n [].devnum?:n [].level?:n [].manufacturer?:s [].port?:n [].prodid?:s [].product?:s [].serial?:s [].speed?:s [].usbpath?:s [].vendid?:s',
  },
  { templates: ['/nodes/{node}/hosts'], shape: '.data:s .digest:s @:o' },
  {
    templates: ['/nodes/{node}/lxc/{vmid}/firewall/options', '/nodes/{node}/qemu/{vmid}/firewall/options'],
    shape:
      '.dhcp?:n .digest:s .enable?:n .ipfilter?:n .log_level_in?:s .log_level_out?:s .macfilter?:n .ndp?:n .policy_in?:s .policy_out?:s .radv?:n @:o',
  },
  {
    templates: ['/nodes/{node}/network'],
    shape:
      '+changes?:s @:a []:o [].active?:n [].address?:s [].address6?:s [].autostart?:n [].bond-primary?:s [].bond_miimon?:s [].bond_mode?:s [].bond_xmit_hash_policy?:s [].bridge-access?:n [].bridge-arp-nd-suppress?:n [].bridge-learning?:n [].bridge-multicast-flood?:n [].bridge-unicast-flood?:n [].bridge_fd?:s [].bridge_ports?:s [].bridge_stp?:s [].bridge_vids?:s [].bridge_vlan_aware?:n [].cidr?:s [].cidr6?:s [].comments?:s [].comments6?:s [].exists?:nz [].families:a [].families[]:s [].gateway?:s [].gateway6?:s [].iface:s [].link-type?:s [].method:s [].method6:s [].mtu?:s [].netmask?:s [].netmask6?:s [].options?:a [].options6?:a [].ovs_bonds?:s [].ovs_bridge?:s [].ovs_options?:s [].ovs_ports?:s [].ovs_tag?:n [].priority?:n [].slaves?:s [].type:s [].uplink-id?:s [].vlan-id?:s [].vlan-protocol?:s [].vlan-raw-device?:s [].vxlan-id?:n [].vxlan-local-tunnelip?:s [].vxlan-physdev?:s [].vxlan-svcnodeip?:s',
  },
  {
    templates: ['/nodes/{node}/network/{iface}'],
    shape:
      '.active?:n .address:s .address6?:s .autostart:n .bridge_fd?:s .bridge_ports?:s .bridge_stp?:s .bridge_vids?:s .bridge_vlan_aware?:n .cidr:s .cidr6?:s .comments?:s .exists?:z .families:a .families[]:s .gateway?:s .method:s .method6:s .mtu?:s .netmask:s .netmask6?:s .priority:n .type:s .vlan-id?:s .vlan-raw-device?:s @:o',
  },
  {
    templates: ['/nodes/{node}/replication'],
    shape:
      '@:a []:o [].comment?:s [].disable?:n [].duration?:n [].error?:s [].fail_count:n [].guest:n [].id:s [].jobnum:n [].last_sync:n [].last_try:n [].next_sync:n [].rate?:n [].schedule?:s [].source:s [].target:s [].type:s [].vmtype:s',
  },
  {
    templates: ['/nodes/{node}/replication/{id}/status'],
    shape:
      '.comment?:s .disable?:n .duration:n .error?:s .fail_count:n .guest:n .id:s .jobnum:n .last_sync:n .last_try:n .next_sync:n .rate?:n .schedule?:s .source:s .target:s .type:s .vmtype:s @:o',
  },
  { templates: ['/nodes/{node}/sdn/zones'], shape: '@:a []:o [].status:s [].zone:s' },
  { templates: ['/nodes/{node}/sdn/zones/{zone}/bridges'], shape: '@:a []:o [].name:s [].ports:a [].vlan_filtering:z' },
  { templates: ['/nodes/{node}/sdn/zones/{zone}/content'], shape: '@:a []:o [].status:s [].statusmsg?:s [].vnet:s' },
  {
    templates: ['/nodes/{node}/services'],
    shape: '@:a []:o [].active-state:s [].desc:s [].name:s [].service:s [].state:s [].unit-state:s',
  },
  {
    templates: ['/nodes/{node}/services/{service}/state'],
    shape: '.active-state:s .desc:s .name:s .service:s .state:s .unit-state:s @:o',
  },
  {
    templates: ['/nodes/{node}/subscription'],
    shape:
      '.checktime?:n .key?:s .level?:s .message?:s .nextduedate?:s .productname?:s .regdate?:s .serverid:s .signature?:s .sockets?:n .status:s .url:s @:o',
  },
  { templates: ['/nodes/{node}/time'], shape: '.localtime:n .time:n .timezone:s @:o' },
  { templates: ['/nodes/{node}/version'], shape: '.release:s .repoid:s .version:s @:o' },
];
