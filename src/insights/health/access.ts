import type { FactData } from '../../cluster/health-facts.ts';
import { type AccessFinding, accessFindings } from '../access-review.ts';
import { type Check, defineCheck, type Finding, onThing } from './check.ts';

interface AccessCheck {
  readonly id: string;
  /** Rule of the access review. */
  readonly code: string;
  readonly severity: Check['severity'];
  readonly what: string;
  readonly why: string;
  readonly command: string;
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
  },
  {
    id: 'PVE-A02',
    code: 'root-token',
    severity: 'warning',
    what: 'Token of root@pam',
    why: 'it can do everything, and no log tells who used it',
    command: 'pveum user token delete root@pam TOKEN, and one for a named user in its place',
  },
  {
    id: 'PVE-A03',
    code: 'token-not-separated',
    severity: 'warning',
    what: 'Token with all rights of its user',
    why: 'privilege separation is off: a leaked token is as good as the user',
    command: 'pveum user token modify USER TOKEN --privsep 1',
  },
  {
    id: 'PVE-A04',
    code: 'token-no-end',
    severity: 'warning',
    what: 'Token that can change things and never expires',
    why: 'a forgotten copy of it works for ever',
    command: 'pveum user token modify USER TOKEN --expire EPOCH',
  },
  {
    id: 'PVE-A05',
    code: 'token-expired',
    severity: 'info',
    what: 'Expired token still there',
    why: 'whatever used it fails, or nobody uses it any more',
    command: 'pveum user token delete USER TOKEN',
  },
  {
    id: 'PVE-A06',
    code: 'recovery-keys-only',
    severity: 'warning',
    what: 'Recovery keys and no second factor',
    why: 'the keys are used up at the logins, and then there is none',
    command: 'web interface: Datacenter, Permissions, Two Factor',
  },
  {
    id: 'PVE-A07',
    code: 'legacy-second-factor',
    severity: 'info',
    what: 'Second factor in the old format',
    why: 'its secret stands in the user list, where whoever may list users reads it',
    command: 'enrol it anew in the web interface, then clear the user keys',
  },
  {
    id: 'PVE-A08',
    code: 'disabled-with-rights',
    severity: 'info',
    what: 'Disabled user with rights',
    why: 'all of them are back the moment the account is',
    command: 'pveum user delete <name>',
  },
  {
    id: 'PVE-A09',
    code: 'expired-with-rights',
    severity: 'info',
    what: 'Expired user with rights',
    why: 'all of them are back the moment the account is',
    command: 'pveum user delete <name>',
  },
  {
    id: 'PVE-A10',
    code: 'dangling-entry',
    severity: 'warning',
    what: 'Access entry for somebody who does not exist',
    why: 'whoever is created with that name gets the rights',
    command: 'pveum acl delete PATH --users <name> --roles ROLE',
  },
  {
    id: 'PVE-A11',
    code: 'dangling-path',
    severity: 'info',
    what: 'Access entry for an object that does not exist',
    why: 'whatever gets that name falls under it',
    command: 'pveum acl delete PATH --users <name> --roles ROLE',
  },
  {
    id: 'PVE-A12',
    code: 'unused-role',
    severity: 'info',
    what: 'Own role that no entry uses',
    why: 'left over',
    command: 'pveum role delete <name>',
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

/** Users, tokens, second factors and entries. */
export const accessChecks: readonly Check[] = RULES.map(({ id, code, severity, what, why, command }) =>
  defineCheck({
    id,
    area: 'access',
    severity,
    what,
    why,
    command,
    needs: WITHOUT_USERS.has(code) ? ['access'] : ['access', 'users'],
    judge: ({ access }) => reviewed(access).filter((f) => f.code === code).map((f) => found(f)),
  }),
);

const REVIEWS = new WeakMap<FactData['access'], readonly AccessFinding[]>();

/** The review is one piece of work for all checks. */
function reviewed(access: FactData['access']): readonly AccessFinding[] {
  const done = REVIEWS.get(access);
  if (done !== undefined) return done;
  const findings = accessFindings(access.facts, access.known);
  REVIEWS.set(access, findings);
  return findings;
}

function found(f: AccessFinding): Finding {
  // A token whose review says "low" is one that can change little.
  const severity = f.severity === 'low' ? ('info' as const) : undefined;
  return { on: onThing(f.subject), evidence: f.what, severity };
}
