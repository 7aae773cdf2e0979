import { describe, expect, it } from 'vitest';
import { redactAnswer } from './redact-answer.ts';

/** A text as each kind of reading shows it: prose, a line of a log, a single setting, a configuration file. */
function readings(text: string): readonly unknown[] {
  const shown = (template: string, data: unknown): unknown => redactAnswer(template, { data }).value.data;
  return [
    shown('/nodes/{node}/journal', [text]),
    shown('/nodes/{node}/syslog', [{ n: 1, t: text }]),
    shown('/nodes/{node}/status', { setting: text }),
    shown('/nodes/{node}/ceph/cfg/raw', text),
  ].map((value) => JSON.stringify(value));
}

describe('the working directory is no password', () => {
  it.each([
    'sudo[4711]:     root : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/usr/sbin/qm list',
    'anna : TTY=pts/0 ; PWD=/etc/pve/nodes/pve-1 ; USER=root ; COMMAND=/usr/bin/true',
    'anna : PWD=/ ; USER=root',
    'PWD=/',
    'PWD=~',
    'PWD=/root OLDPWD=/home/anna',
    "env PWD='/root' HOME=/root",
    'OLDPWD=/var/lib/vz',
  ])('%s', (text) => {
    for (const shown of readings(text)) expect(shown).toContain(text);
  });
});

describe('a password called pwd is one, whatever it begins with', () => {
  it.each([
    'PWD=hunter2-Xy',
    'pwd=/hunter2-Xy',
    'Server=db1;Uid=sa;Pwd=/hunter2-Xy;Database=shop',
    'DRIVER=x;SERVER=db1;UID=sa;PWD=/hunter2-Xy;',
    'UID=sa;PWD=/hunter2-Xy',
    'Server=db1; UID=sa; PWD=/hunter2-Xy; Database=shop',
    'Server=db1; UID=sa; PWD=/hunter2-Xy',
    'PWD=/hunter2-Xy; UID=sa',
    'UID=sa; PWD="/hunter2-Xy"; Database=shop',
    'PWD=/hunter2-Xy;UID=sa',
    'PWD=/hunter2-Xy!7',
    'PWD=hunter2-Xy OLDPWD=/root',
    'DB_PWD=/hunter2-Xy',
  ])('%s', (text) => {
    for (const shown of readings(text)) {
      expect(shown).not.toContain('hunter2');
      expect(shown).toContain('[redacted]');
    }
  });
});
