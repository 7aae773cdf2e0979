/** The parts of `user@realm!name`. */
interface TokenParts {
  readonly user: string;
  readonly realm: string;
  readonly name: string;
}

function partsOf(tokenId: string): TokenParts {
  const bang = tokenId.lastIndexOf('!');
  const user = tokenId.slice(0, bang);
  return { user, realm: user.slice(user.lastIndexOf('@') + 1), name: tokenId.slice(bang + 1) };
}

/** Commands for a root shell of any node that make a token which may look and nothing else. */
export function pveumLines(tokenId: string): readonly string[] {
  const { user, name } = partsOf(tokenId);
  return [
    `pveum user add ${quoted(user)} --comment 'read-only assistant'`,
    `pveum acl modify / --users ${quoted(user)} --roles PVEAuditor`,
    `pveum user token add ${quoted(user)} ${quoted(name)} --privsep 1 --comment 'mcp-proxmox'`,
    `pveum acl modify / --tokens ${quoted(tokenId)} --roles PVEAuditor`,
  ];
}

/** The same in the web interface. */
export function webSteps(tokenId: string): readonly string[] {
  const { user, realm, name } = partsOf(tokenId);
  const login = user.slice(0, user.lastIndexOf('@'));
  return [
    `1. Datacenter > Permissions > Users > Add: user name ${login}, realm ${realm}${realm === 'pve' ? ' (Proxmox VE authentication server)' : ''}`,
    `2. Datacenter > Permissions > Add > User Permission: path /, user ${user}, role PVEAuditor, Propagate`,
    `3. Datacenter > Permissions > API Tokens > Add: user ${user}, token ID ${name}, Privilege Separation; copy the secret`,
    `4. Datacenter > Permissions > Add > API Token Permission: path /, token ${tokenId}, role PVEAuditor, Propagate`,
  ];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
