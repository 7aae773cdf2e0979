import type { Settings } from '../config/settings.ts';
import { type HttpFlags, httpOptions } from '../server/http/options.ts';
import { serveHttp } from '../server/http.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/**
 * Serves over HTTP until the process is told to stop (SIGTERM, SIGINT); calls under way then end first. A second signal
 * ends it at once.
 *
 * @throws ConfigErrors when a flag or a file it names is wrong
 */
export async function runHttp(settings: Settings, flags: HttpFlags, tell: (line: string) => void): Promise<ExitCode> {
  const options = httpOptions(flags);
  for (const warning of options.warnings) tell(`warning: ${warning}`);
  const server = await serveHttp({ settings, options, tell });
  const who = { none: 'nobody is asked who they are (--no-auth)', bearer: 'bearer tokens', proxy: 'callers named by a proxy' };
  tell(
    `serving MCP at ${server.url}, ${settings.clusters.size === 1 ? '1 cluster' : `${settings.clusters.size} clusters`}; ${who[options.auth.kind]}`,
  );
  if (server.metricsUrl !== undefined) tell(`metrics at ${server.metricsUrl}`);
  const signal = await new Promise<string>((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    const stop = (name: NodeJS.Signals): void => {
      // Without a listener the next signal, whichever it is, ends the process.
      for (const each of signals) process.off(each, stop);
      resolve(name);
    };
    for (const each of signals) process.on(each, stop);
  });
  tell(`${signal}: stopping`);
  await server.close();
  return EXIT.ok;
}
