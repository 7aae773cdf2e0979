import { parseTokenId, parseTokenSecret } from '../../config/token.ts';
import { Secret } from '../../redact/secret.ts';
import type { Dialog } from './dialog.ts';
import { pveumLines, webSteps } from './token-steps.ts';

export interface TokenAnswers {
  readonly id: string;
  readonly secret: Secret;
}

/** Asks for the token, and shows how to make one. */
export async function askToken(ui: Dialog, earlier: string | undefined): Promise<TokenAnswers> {
  const id = await ui.text({
    message: 'Id of the API token (one that exists, or one that you make now)',
    initial: earlier ?? 'mcp@pve!assistant',
    fault: (text) => parseTokenId(text).fault?.what,
  });
  if (id.startsWith('root@pam!')) ui.warn('A token of root can do far more than look; one of a user of its own is safer.');
  ui.show('To make it, in a root shell of any node (the third line prints the secret, once):', pveumLines(id));
  ui.show('or in the web interface:', webSteps(id));
  return { id, secret: await askSecret(ui) };
}

/** Takes the secret without showing it. */
export async function askSecret(ui: Dialog): Promise<Secret> {
  const fault = (text: string): string | undefined => parseTokenSecret(text).fault?.what;
  return new Secret(await ui.secret("The token's secret (nothing appears while you paste it)", fault));
}
