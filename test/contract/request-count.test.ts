/**
 * FIELD T26: what a question costs the cluster does not grow with the number of guests: ten times the guests on the same
 * nodes make no more requests, for every tool, save those whose very answer is about each storage or guest.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { typical } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type Harness, openHarness } from '../support/harness.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** May ask a little more often where more guests mean more groups, pools or pages; never once for each guest. */
const SLACK = 6;
/** Most requests that one question may make at the small cluster. */
const MOST = 60;
/**
 * Answers that are about each guest by themselves: a backup server tells backups guest by guest, and `deep` and `depends_on`
 * ask for the configurations. They say so in their description or answer, and are bounded by the call's time.
 */
function isAboutEachGuest(name: string, args: Readonly<Record<string, unknown>>): boolean {
  return name === 'check_backup_coverage' || args['deep'] === true || args['depends_on'] !== undefined;
}

let small: Harness;
let large: Harness;
let examples: Examples;
beforeAll(async () => {
  small = await openHarness({ nodes: 3, guests: 60 });
  large = await openHarness({ nodes: 3, guests: 600 });
  examples = examplesFor(worldOf(small.demo));
}, 60_000);
afterAll(async () => {
  await small.close();
  await large.close();
});

async function costOf(harness: Harness, name: string, args: Readonly<Record<string, unknown>>): Promise<number> {
  harness.session.forget();
  return (await harness.call(name, args)).stats.requests;
}

describe('T26 requests', () => {
  it.each(coveredTools)('%s does not ask once for each guest', async (name, tool) => {
    const grown: string[] = [];
    for (const args of typical(examplesOf(tool, examples))) {
      if (isAboutEachGuest(name, args)) continue;
      const [few, many] = [await costOf(small, name, args), await costOf(large, name, args)];
      if (many > few + SLACK || few > MOST) grown.push(`${JSON.stringify(args)}: ${few} requests, then ${many}`);
    }
    expect(grown).toEqual([]);
  });

  it("list_guests makes one data request at any size; the rest is the token's own rights", async () => {
    for (const harness of [small, large]) {
      harness.session.forget();
      const from = harness.demo.requests.length;
      await harness.call('list_guests', { limit: 1000 });
      const paths = harness.demo.requests.slice(from).map(({ path }) => path);
      expect(paths.filter((path) => !path.startsWith('/access/'))).toEqual(['/cluster/resources']);
    }
  });
});
