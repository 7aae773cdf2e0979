import { REDACTED } from './marker.ts';

/**
 * Option names of QEMU's command line. Only these are shown of a guest's `args`: a name that isn't known might be the
 * value of the option before it.
 */
const QEMU_OPTIONS = new Set(
  (
    'accel acpitable action add-fd alt-grab append async-teardown audio audiodev balloon bios blockdev boot bt cdrom chardev ' +
    'chroot compat cpu ctrl-grab curses d D daemonize debugcon dfilter device display dtb dump-vmstate echr enable-fips ' +
    'enable-kvm fda fdb fsdev full-screen fw_cfg g gdb global h hda hdb hdc hdd icount incoming initrd iscsi k kernel ' +
    'L loadvm m M machine mem-path mem-prealloc mon monitor msg mtdblock name net netdev nic no-acpi no-fd-bootchk no-hpet ' +
    'no-reboot no-shutdown no-user-config nodefaults nographic numa object only-migratable option-rom overcommit parallel ' +
    'perfmap pflash pidfile plugin portrait prom-env qmp qmp-pretty readconfig realtime rotate rtc run-with runas s S sandbox ' +
    'sd seed semihosting semihosting-config serial set shim singlestep smbios smp snapshot spice tb-size tdf tpmdev trace ' +
    'usb usbdevice uuid vga virtfs vnc watchdog watchdog-action win2k-hack writeconfig xen-attach xen-domid xen-domid-restrict'
  ).split(' '),
);

/** Shell-like words: quotes keep blanks together, so that a quoted value never looks like an option. */
const SHELL_WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?)+/gs;

/**
 * What is shown of a guest's raw QEMU arguments: the option names and one marker for everything else, for example
 * `-device -set [redacted]`.
 */
export function redactArgs(args: string): string {
  const names = new Set<string>();
  for (const [word] of args.matchAll(SHELL_WORD)) {
    const name = /^--?([A-Za-z][\w-]*)$/.exec(word)?.[1];
    if (name !== undefined && QEMU_OPTIONS.has(name)) names.add(`-${name}`);
  }
  return [...names, REDACTED].join(' ');
}
