import { loadSettings } from '../../config/load-settings.ts';
import type { Settings } from '../../config/settings.ts';

/** What says which cluster to ask, and how. */
export interface SettingsFlags {
  readonly demo: boolean;
  readonly toolsets: string | undefined;
  readonly structured: boolean;
  readonly envFile: string | undefined;
  readonly config: string | undefined;
}

/** Settings and what has to be closed after use. */
export interface OpenedSettings {
  readonly settings: Settings;
  close(): Promise<void>;
}

/** Settings of the configured clusters, or of an embedded one. @throws ConfigErrors */
export async function openSettings({ demo, toolsets, structured, envFile, config }: SettingsFlags): Promise<OpenedSettings> {
  const options = { env: process.env, flags: { toolsets, envFile, config, output: structured ? 'structured' : 'text' } };
  if (!demo) return { settings: await loadSettings(options), close: async () => undefined };
  const [{ startDemoCluster }, { demoClusterSettings }] = await Promise.all([
    import('../../demo/start-demo-cluster.ts'),
    import('../../demo/demo-settings.ts'),
  ]);
  const cluster = await startDemoCluster();
  const settings = demoClusterSettings(cluster);
  try {
    return { settings: await loadSettings({ ...options, clusters: new Map([[settings.name, settings]]) }), close: cluster.close };
  } catch (thrown) {
    await cluster.close();
    throw thrown;
  }
}
