/**
 * FIELD T18: nothing that the server can reach sends anything but GET. Checked on the source: who may open connections
 * at all, that no other method is named anywhere, and that the one file that may write is not reachable from the server.
 * At run time every harness refuses to close when its cluster was sent anything else.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(name) && !name.endsWith('test-support.ts'))
  .map((name) => join(SRC, name))
  .sort();
const sourceOf = new Map(files.map((file) => [file, withoutComments(readFileSync(file, 'utf8'))]));
const named = (file: string): string => relative(SRC, file).replaceAll('\\', '/');

/** Comments may speak of methods; code must not. Good enough for our own formatted sources: `://` is no comment. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1');
}

/** What a file imports, statically or not; types only do not count. */
function importsOf(file: string): string[] {
  return specifiersIn(sourceOf.get(file) ?? '');
}

/** Functions of the network modules that only look at addresses and certificates. */
const HARMLESS_IMPORT =
  /import \{\s*(?:(?:isIP|isIPv4|isIPv6|BlockList|SocketAddress|rootCertificates|checkServerIdentity|createSecureContext|type \w+)(?:,\s*)?)+\s*\} from 'node:(?:net|tls)';/g;

function specifiersIn(source: string): string[] {
  const found = [
    ...source.matchAll(/^\s*(?:import|export)\s+(?!type\b)[^;]*?\sfrom\s+'([^']+)'/gm),
    ...source.matchAll(/^\s*import\s+'([^']+)'/gm),
    ...source.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g),
  ];
  return found.flatMap(([, specifier]) => specifier ?? []);
}

function reachableFrom(entry: string): Set<string> {
  const seen = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const specifier of importsOf(file)) if (specifier.startsWith('.')) open.push(resolve(dirname(file), specifier));
  }
  return seen;
}

const probe = join(SRC, 'cli/write-probe.ts');
/** What runs in a server process, without the embedded cluster (a server itself, in place of a real one). */
const server = [
  ...new Set(['cli/serve.ts', 'server/create-server.ts', 'server/stdio.ts', 'server/http.ts', 'server/tool-handlers.ts']),
]
  .flatMap((name) => [...reachableFrom(join(SRC, name))])
  .filter((file, index, all) => all.indexOf(file) === index && file.endsWith('.ts') && !named(file).startsWith('demo/'));

/** The HTTP transport answers requests by method, and says which it takes; it sends none (see below). */
const isHttpServer = (file: string): boolean => /^server\/http(?:\.ts$|\/)/.test(named(file));

describe('T18 only GET can be sent', () => {
  it('the import graph is really followed', () => {
    const names = server.map(named);
    expect(names).toEqual(
      expect.arrayContaining(['api/get.ts', 'tools/catalog.ts', 'tools/run-tool.ts', 'redact/redact-answer.ts']),
    );
    expect(server.length).toBeGreaterThan(60);
  });

  it('the write probe is out of the reach of the server', () => {
    expect(server).not.toContain(probe);
    expect(sourceOf.has(probe)).toBe(true);
    const importers = files.filter((file) =>
      importsOf(file).some((s) => s.startsWith('.') && resolve(dirname(file), s) === probe),
    );
    expect(importers.map(named).filter((name) => !name.startsWith('cli/'))).toEqual([]);
  });

  it('no method but GET is named', () => {
    const method = /(['"`])(?:POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE|HEAD)\1/;
    const wrong = server
      .filter((file) => !isHttpServer(file))
      .flatMap((file) =>
        (sourceOf.get(file) ?? '').split('\n').flatMap((line) => (method.test(line) ? [`${named(file)}: ${line.trim()}`] : [])),
      );
    expect(wrong).toEqual([]);
  });

  it('one file alone can open a connection to a cluster', () => {
    const modules = /^(?:node:)?(?:undici|https?|http2|net|tls|dgram|child_process|worker_threads|cluster|inspector)$/;
    const globals = /\bfetch\(|\bnew (?:WebSocket|EventSource)\(|\bXMLHttpRequest\b/;
    const openers = server.filter((file) => {
      const source = (sourceOf.get(file) ?? '').replace(HARMLESS_IMPORT, '');
      return globals.test(source) || specifiersIn(source).some((specifier) => modules.test(specifier));
    });
    expect(openers.filter((file) => !isHttpServer(file)).map(named)).toEqual(['api/get.ts']);
    for (const file of openers.filter(isHttpServer)) {
      const source = sourceOf.get(file) ?? '';
      for (const [, names = ''] of source.matchAll(/import \{([^}]*)\} from '(?:node:)?(?:https?|net|tls|http2|undici)'/g)) {
        const imported = names
          .split(',')
          .map((name) => name.trim().replace(/ as .*/, ''))
          .filter((name) => name !== '' && !name.startsWith('type '));
        expect(
          imported.filter((name) => !/^(?:createServer|createSecureServer|isIP|isIPv4|isIPv6|BlockList)$/.test(name)),
          named(file),
        ).toEqual([]);
      }
      expect(source, named(file)).not.toMatch(/\bfetch\(|https?\.(?:request|get)\(/);
    }
  });

  it('the sender has no parameter for a method, and says GET once', () => {
    const sender = sourceOf.get(join(SRC, 'api/get.ts')) ?? '';
    expect(sender.match(/method:/g)).toHaveLength(1);
    expect(sender).toContain("method: 'GET'");
    expect(sender).not.toMatch(/\.(?:stream|pipeline|connect|upgrade|dispatch)\(/);
    const options = /\brequest\(\{\n([\s\S]*?)\n\s*\}\)/.exec(sender)?.[1] ?? '';
    const keys = [...options.matchAll(/^\s+(\w+)[:,]/gm)].map(([, key]) => key);
    expect(keys).toEqual(['origin', 'path', 'method', 'headers', 'signal', 'headersTimeout', 'bodyTimeout']);
  });

  it('nothing is evaluated, spawned or written to disk', () => {
    const wrong = server.filter((file) =>
      /\beval\(|new Function\(|\b(?:writeFile|appendFile|createWriteStream|unlink|rmSync|mkdir|exec|execFile|spawn)\w*\(/.test(
        (sourceOf.get(file) ?? '').replace(/\.exec\(/g, ''),
      ),
    );
    // The audit log is written where the administrator asks for it.
    expect(wrong.map(named).filter((name) => name !== 'server/audit-log.ts')).toEqual([]);
  });

  it('T19 nothing in the server prints to standard output', () => {
    const wrong = server.flatMap((file) =>
      /console\.(?:log|info|debug|table|dir)\(|process\.stdout\.write\(/.test(sourceOf.get(file) ?? '') ? [named(file)] : [],
    );
    // `--help` and `--version` print and end.
    expect(wrong).toEqual(['cli/serve.ts']);
  });
});
