import type { FactData } from '../../cluster/health-facts.ts';
import { type AccessFinding, accessFindings } from '../access-review.ts';
import { type Check, defineCheck, type Finding, onThing, some } from './check.ts';

interface AccessCheck {
  readonly id: string;
  /** Rule of the access review. */
  readonly code: string;
  readonly severity: Check['severity'];
  readonly what: string;
  readonly why: string;
  readonly command: string;
  /** What is told of each; the review's own sentence where it says more than the check. */
  readonly evidence?: string | ((said: string) => string);
}

/** One check for each rule of the access review (review_access tells the same with more words). */
const RULES: readonly AccessCheck[] = [
  {
    id: 'PVE-A01',
    code: 'admin-without-second-factor',
    severity: 'warning',
    what: 'Administrator without a second factor',
    why: 'one guessed or stolen password is the whole cluster',
    command: 'web interface: Datacenter, Permissions, Two Factor',
    evidence: 'password only',
  },
  {
    id: 'PVE-A02',
    code: 'root-token',
    severity: 'warning',
    what: 'Token of root@pam',
    why: 'it can do everything, and no log tells who used it',
    command: 'pveum user token delete root@pam TOKEN, and one for a named user in its place',
    evidence: (said) => (said.includes('all its rights') ? 'with all rights of root' : 'privilege-separated'),
  },
  {
    id: 'PVE-A03',
    code: 'token-not-separated',
    severity: 'warning',
    what: 'Token with all rights of its user',
    why: 'privilege separation is off: a leaked token is as good as the user',
    command: 'pveum user token modify USER TOKEN --privsep 1',
    evidence: (said) => /\((it .*)\)$/.exec(said)?.[1] ?? said,
  },
  {
    id: 'PVE-A04',
    code: 'token-no-end',
    severity: 'warning',
    what: 'Token that can change things and never expires',
    why: 'a forgotten copy of it works for ever',
    command: 'pveum user token modify USER TOKEN --expire EPOCH',
    evidence: (said) => said.replace(/^never expires, and /, ''),
  },
  {
    id: 'PVE-A05',
    code: 'token-expired',
    severity: 'info',
    what: 'Expired token still there',
    why: 'whatever used it fails, or nobody uses it any more',
    command: 'pveum user token delete USER TOKEN',
    evidence: 'expired',
  },
  {
    id: 'PVE-A06',
    code: 'recovery-keys-only',
    severity: 'warning',
    what: 'Recovery keys and no second factor',
    why: 'the keys are used up at the logins, and then there is none',
    command: 'web interface: Datacenter, Permissions, Two Factor',
    evidence: 'recovery keys only',
  },
  {
    id: 'PVE-A07',
    code: 'legacy-second-factor',
    severity: 'info',
    what: 'Second factor in the old format',
    why: 'its secret stands in the user list, where whoever may list users reads it',
    command: 'enrol it anew in the web interface, then clear the user keys',
    evidence: 'keys in the user list',
  },
  {
    id: 'PVE-A08',
    code: 'disabled-with-rights',
    severity: 'info',
    what: 'Disabled user with rights',
    why: 'all of them are back the moment the account is',
    command: 'pveum user delete <name>',
    evidence: withoutMoral,
  },
  {
    id: 'PVE-A09',
    code: 'expired-with-rights',
    severity: 'info',
    what: 'Expired user with rights',
    why: 'all of them are back the moment the account is',
    command: 'pveum user delete <name>',
    evidence: withoutMoral,
  },
  {
    id: 'PVE-A10',
    code: 'dangling-entry',
    severity: 'warning',
    what: 'Access entry for somebody who does not exist',
    why: 'whoever is created with that name gets the rights',
    command: 'pveum acl delete PATH --users <name> --roles ROLE',
    evidence: withoutMoral,
  },
  {
    id: 'PVE-A11',
    code: 'dangling-path',
    severity: 'info',
    what: 'Access entry for an object that does not exist',
    why: 'whatever gets that name falls under it',
    command: 'pveum acl delete PATH --users <name> --roles ROLE',
    evidence: withoutMoral,
  },
  {
    id: 'PVE-A12',
    code: 'unused-role',
    severity: 'info',
    what: 'Own role that no entry uses',
    why: 'left over',
    command: 'pveum role delete <name>',
    evidence: 'unused',
  },
  {
    id: 'PVE-A13',
    code: 'unused-group',
    severity: 'info',
    what: 'Group without rights',
    why: 'left over, or its members miss what they should have',
    command: 'pveum group delete <name>',
  },
];

/** Rules that need nothing but the entries and roles. */
const WITHOUT_USERS: ReadonlySet<string> = new Set(['unused-role']);

/** What entries are for: only where all of it is seen are entries for what is gone looked for. */
const OBJECTS = ['guests', 'definitions', 'pools'] as const;

/** Users, tokens, second factors and entries. */
export const accessChecks: readonly Check[] = [
  ...RULES.map(({ id, code, severity, what, why, command, evidence }) =>
    defineCheck({
      id,
      area: 'access',
      severity,
      what,
      why,
      command,
      needs: WITHOUT_USERS.has(code) ? ['access'] : ['access', 'users'],
      also: code === 'dangling-path' ? OBJECTS : [],
      judge: ({ access }) =>
        reviewed(access)
          .filter((f) => f.code === code)
          .map((f) => found(f, evidence)),
    }),
  ),
  defineCheck({
    id: 'PVE-A14',
    area: 'access',
    severity: 'info',
    what: 'Access entry that takes rights away',
    why: 'NoAccess hides an object without a trace: whoever has it, people and programs, reports less than there is',
    command: 'pveum acl list',
    needs: ['access'],
    judge: ({ access: { facts } }) =>
      entries(
        facts.acl.filter((row) => row.role === 'NoAccess'),
        (row) => row.path,
      ),
  }),
  defineCheck({
    id: 'PVE-A15',
    area: 'access',
    severity: 'info',
    what: 'Access entry that is not inherited',
    why: 'it holds for the path alone and for nothing below it, which is rarely meant',
    command: 'pveum acl modify PATH --users <name> --roles ROLE --propagate 1',
    needs: ['access'],
    judge: ({ access: { facts } }) =>
      // On a single guest, storage or node there is nothing below.
      entries(
        facts.acl.filter((row) => !row.propagate && row.path.split('/').length <= 2),
        (row) => `${row.role} on ${row.path}`,
      ),
  }),
  defineCheck({
    id: 'PVE-A16',
    area: 'access',
    severity: 'info',
    what: 'User role that reads files inside guests',
    why: 'PVEVMUser and its like look harmless, and read and write any file through the guest agent',
    command: 'pveum acl list; a role without VM.GuestAgent.FileRead for people who only start and stop',
    needs: ['access'],
    judge: ({ access: { facts } }) => {
      // Who may change a guest's disks has its files anyway.
      const roles = new Set(
        facts.roles
          .filter(
            (r) =>
              (r.privileges.has('VM.GuestAgent.FileRead') || r.privileges.has('VM.Monitor')) &&
              !r.privileges.has('VM.Config.Disk'),
          )
          .map((r) => r.role),
      );
      return entries(
        facts.acl.filter((row) => roles.has(row.role)),
        (row) => `${row.role} on ${row.path}`,
      );
    },
  }),
];

function entries(
  rows: FactData['access']['facts']['acl'],
  say: (row: FactData['access']['facts']['acl'][number]) => string,
): readonly Finding[] {
  const byWho = new Map<string, string[]>();
  for (const row of rows) byWho.set(row.ugid, [...(byWho.get(row.ugid) ?? []), say(row)]);
  return [...byWho].map(([who, said]) => ({ on: onThing(who), evidence: some(said, 3) }));
}

/** The review ends some of its sentences with why; the check has said that already. */
function withoutMoral(said: string): string {
  return said
    .replace(/: all of it is back.*$/, '')
    .replace(/\. Whoever is created.*$|\. Whatever gets.*$/, '')
    .replace(/^(?:disabled|expired), but still /, '')
    .replace(/^entry for (?:a user|a group|a token|an object) that does not exist: /, '');
}

const REVIEWS = new WeakMap<FactData['access'], readonly AccessFinding[]>();

/** The review is one piece of work for all checks. */
function reviewed(access: FactData['access']): readonly AccessFinding[] {
  const done = REVIEWS.get(access);
  if (done !== undefined) return done;
  const findings = accessFindings(access.facts, access.known);
  REVIEWS.set(access, findings);
  return findings;
}

function found(f: AccessFinding, evidence: AccessCheck['evidence']): Finding {
  // A token whose review says "low" is one that can change little.
  const severity = f.severity === 'low' ? ('info' as const) : undefined;
  const said = typeof evidence === 'function' ? evidence(f.what) : (evidence ?? f.what);
  return { on: onThing(f.subject), evidence: said, severity };
}
