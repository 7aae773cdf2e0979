import { describe, expect, test } from 'vitest';
import { countVotes, parseClusterStatus, parseCorosyncNodes, parseQDevice } from './cluster-status.ts';

const cluster = { type: 'cluster', id: 'cluster', name: 'home', nodes: 3, quorate: 1 };
const node = (name: string, online: number | string) => ({ type: 'node', id: `node/${name}`, name, online, local: 0, nodeid: 1 });

describe('parseClusterStatus (FIELD T7)', () => {
  test.each([0, 1, 2, 3])('the order of rows does not matter (rotated by %i)', (by) => {
    const rows: unknown[] = [cluster, node('b', 1), node('a', '0'), node('c', 1)];
    const status = parseClusterStatus([...rows.slice(by), ...rows.slice(0, by)]);
    expect(status).toMatchObject({ clustered: true, name: 'home', quorate: true });
    expect(status.members.map((m) => [m.node, m.online])).toEqual([
      ['a', false],
      ['b', true],
      ['c', true],
    ]);
  });

  test('a node that stands alone has no quorum to lose', () => {
    const status = parseClusterStatus([{ type: 'node', id: 'node/a', name: 'a', nodeid: 0, local: 1, ip: '192.0.2.1' }]);
    expect(status).toMatchObject({ clustered: false, name: undefined, quorate: undefined });
    expect(status.members[0]).toMatchObject({ node: 'a', online: true, local: true, nodeId: 0, ip: '192.0.2.1' });
  });

  test('a lost quorum is told, also as a text or by absence', () => {
    expect(parseClusterStatus([{ ...cluster, quorate: '0' }]).quorate).toBe(false);
    const { quorate: _absent, ...silent } = cluster;
    expect(parseClusterStatus([silent]).quorate).toBe(false);
  });

  test('junk is no cluster', () => {
    expect(() => parseClusterStatus(null)).toThrow('no list');
    expect(parseClusterStatus([3, null, { type: 'node' }, { type: 'moon', name: 'x' }]).members).toEqual([]);
  });
});

describe('votes (FIELD T8)', () => {
  const nodes = parseCorosyncNodes([
    { name: 'a', nodeid: '1', quorum_votes: '1', ring0_addr: '10.0.0.1', ring1_addr: '10.1.0.1' },
    { node: 'b', nodeid: '2', ring0_addr: '10.0.0.2' },
    { ring0_addr: 'nameless' },
  ]);
  const members = (...online: string[]) =>
    ['a', 'b'].map((name) => ({ node: name, online: online.includes(name), local: false, ip: undefined, nodeId: 1 }));

  test('nodes with their links; one vote unless it says otherwise', () => {
    expect(nodes.map((n) => [n.node, n.votes, [...n.links.values()]])).toEqual([
      ['a', 1, ['10.0.0.1', '10.1.0.1']],
      ['b', 1, ['10.0.0.2']],
    ]);
  });

  test('two nodes without an arbiter need both', () => {
    expect(countVotes(nodes, members('a'), undefined)).toEqual({ expected: 2, present: 1, needed: 2, qdevice: undefined });
  });

  test('an arbiter that is connected makes up for a lost node', () => {
    const device = parseQDevice({ State: 'Connected', Model: 'Net', Algorithm: 'Fifty-Fifty split', 'QNetd host': 'arb:5403' });
    expect(countVotes(nodes, members('a'), device)).toEqual({ expected: 3, present: 2, needed: 2, qdevice: 1 });
  });

  test('an arbiter that is away casts no vote, but is counted on', () => {
    const device = parseQDevice({ State: 'Connect failed', Algorithm: 'Fifty-Fifty split' });
    expect(countVotes(nodes, members('a'), device)).toMatchObject({ expected: 3, present: 1, needed: 2 });
  });

  test('the last man standing has a vote for each node but one; an unknown rule is not guessed at', () => {
    expect(
      countVotes([...nodes, ...nodes], members('a', 'b'), parseQDevice({ State: 'Connected', Algorithm: 'LMS' })),
    ).toMatchObject({
      qdevice: 3,
    });
    expect(countVotes(nodes, members('a'), parseQDevice({ State: 'Connected', Algorithm: 'Something new' }))).toBeUndefined();
  });

  test('an empty answer means that there is no arbiter', () => {
    expect(parseQDevice({})).toBeUndefined();
    expect(parseQDevice(null)).toBeUndefined();
  });
});
