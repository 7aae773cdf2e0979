import { bool, list, record, table, text } from '../../answer/spec.ts';
import { readTokenAccess } from '../../cluster/token-access.ts';
import type { AreaAccess, TokenAccess } from '../../insights/token-access.ts';
import type { Grant } from '../../insights/token-grants.ts';
import { expiryText, missingText, reachText, tokenHeadline } from '../../insights/token-words.ts';
import { defineTool } from '../define-tool.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

export const checkTokenAccess = defineTool({
  name: 'check_token_access',
  title: 'Check token access',
  toolset: 'access',
  description:
    'What this API token sees and lacks, by area, with the missing privilege and the pveum command that grants it, and what it holds beyond reading. For anything hidden or forbidden.',
  params: {},
  output: {
    token: record({
      token: text(),
      release: text(),
      can_write: bool('told from its permissions; this server never writes'),
      privilege_separated: bool(),
      expires: text(),
      owner_enabled: bool(),
      owner_expires: text(),
    }),
    areas: table({
      area: text(),
      sees: text('of what PVEAuditor shows: all, except, some, none or unknown'),
      missing: list('privileges that would show the rest'),
      optional: list('privileges beyond PVEAuditor that would show more'),
      why: text(),
    }),
    excess: table({
      privilege: text(),
      allows: text('reads, uses (only with others) or changes'),
      paths: list(),
      needed_for: list(),
    }),
    grants: table({ opens: text(), kind: text('core or optional'), run: text('as root on a node') }),
  },
  reads: ['/version', ...RIGHTS_READS],
  async run(_args, call) {
    const { data: access, ...gaps } = await readTokenAccess(call);
    const grants = grantsToShow(access.grants);
    return {
      headline: tokenHeadline(access),
      sections: {
        token: tokenRecord(access, call.now()),
        areas: access.areas.map(areaRow),
        excess:
          access.excess.length === 0
            ? undefined
            : access.excess.map((e) => ({
                privilege: e.privilege,
                allows: e.effect,
                paths: e.paths,
                needed_for: e.justified ? e.opens : [],
              })),
        grants:
          grants.length === 0
            ? undefined
            : grants.flatMap((g) => g.lines.map((run) => ({ opens: opensText(g), kind: g.kind, run }))),
      },
      gaps,
      notes: notesOf(access, grants),
    };
  },
});

function tokenRecord({ identity, release, canWrite, owner }: TokenAccess, nowMs: number) {
  return {
    token: identity.id,
    release: release.text,
    can_write: canWrite,
    privilege_separated: owner?.token?.privsep,
    expires: expiryText(owner?.token?.expires, nowMs),
    owner_enabled: owner?.enabled,
    owner_expires: expiryText(owner?.expires, nowMs),
  };
}

function areaRow(area: AreaAccess) {
  return {
    area: area.area,
    sees: area.sees,
    missing: missingText(area.lacks),
    optional: missingText(area.couldSee),
    why: reachText(area),
  };
}

/** With one grant for everything the narrower ones are not worth their tokens, and what is discouraged is not offered. */
function grantsToShow(grants: readonly Grant[]): readonly Grant[] {
  const everything = grants.some((g) => g.everything);
  return grants.filter((g) => g.everything || g.kind === 'optional' || (g.kind === 'core' && !everything));
}

function opensText(grant: Grant): string {
  return grant.everything ? 'everything of PVEAuditor' : grant.areas.join(', ');
}

function notesOf(access: TokenAccess, grants: readonly Grant[]): readonly string[] {
  const notes = grants.flatMap((g) => g.notes);
  if (access.owner === undefined)
    notes.push('Expiry and privilege separation of the token may not be read; that needs Sys.Audit on /access/groups.');
  if (grants.length > 0) notes.push('Grants are text for an administrator to run; this server changes nothing.');
  return [...new Set(notes)];
}
