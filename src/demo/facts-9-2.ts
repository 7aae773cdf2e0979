/** Schema facts of release 9.2.11, in a module of their own: the bundler rewrites dynamic imports of modules, not of JSON. */
import facts from './facts/pve-9.2.11.json' with { type: 'json' };

export const unparsedFacts: unknown = facts;
