/** Schema facts of release 8.4, in a module of their own: the bundler rewrites dynamic imports of modules, not of JSON. */
import facts from './facts/pve-8.4.json' with { type: 'json' };

export const unparsedFacts: unknown = facts;
