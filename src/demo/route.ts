/** Finds the path template that a concrete path belongs to. */

export interface Route {
  readonly template: string;
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
}

interface Branch {
  readonly literal: Map<string, Branch>;
  parameter?: { readonly name: string; readonly branch: Branch };
  /** Set when a template ends here. */
  template?: string;
}

/** Parameters whose value may hold slashes: they take the rest of the path. */
const REST_PARAMETERS: ReadonlySet<string> = new Set(['volume', 'cidr']);

/**
 * Builds a router over path templates (`/nodes/{node}/qemu`). A literal segment wins over a parameter, without going
 * back when the rest does not fit.
 */
export function createRouter(templates: Iterable<string>): (segments: readonly string[]) => Route | undefined {
  const root: Branch = { literal: new Map() };
  for (const template of templates) addTemplate(root, template);
  return (segments) => match(root, segments);
}

function addTemplate(root: Branch, template: string): void {
  let branch = root;
  for (const segment of template.split('/').filter((part) => part !== '')) {
    branch = segment.startsWith('{') ? parameterBranch(branch, segment.slice(1, -1)) : literalBranch(branch, segment);
  }
  branch.template = template;
}

function literalBranch(branch: Branch, segment: string): Branch {
  const known = branch.literal.get(segment);
  if (known !== undefined) return known;
  const created: Branch = { literal: new Map() };
  branch.literal.set(segment, created);
  return created;
}

function parameterBranch(branch: Branch, name: string): Branch {
  branch.parameter ??= { name, branch: { literal: new Map() } };
  if (branch.parameter.name !== name) throw new Error(`parameters {${branch.parameter.name}} and {${name}} at the same place`);
  return branch.parameter.branch;
}

function match(root: Branch, segments: readonly string[]): Route | undefined {
  const params: Record<string, string> = {};
  let branch = root;
  for (const [index, segment] of segments.entries()) {
    const literal = branch.literal.get(segment);
    if (literal !== undefined) {
      branch = literal;
      continue;
    }
    if (branch.parameter === undefined) return undefined;
    const { name } = branch.parameter;
    branch = branch.parameter.branch;
    if (REST_PARAMETERS.has(name)) {
      params[name] = segments.slice(index).join('/');
      break;
    }
    params[name] = segment;
  }
  return branch.template === undefined ? undefined : { template: branch.template, params };
}
