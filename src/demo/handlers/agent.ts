import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { AgentFacts, DemoGuest, DemoWorld } from '../world/types.ts';
import { directory } from './answers.ts';
import { guestOf } from './guest-lookup.ts';

const COMMANDS = [
  'exec',
  'exec-status',
  'file-read',
  'file-write',
  'fsfreeze-freeze',
  'fsfreeze-status',
  'fsfreeze-thaw',
  'fstrim',
  'get-fsinfo',
  'get-host-name',
  'get-memory-block-info',
  'get-memory-blocks',
  'get-osinfo',
  'get-time',
  'get-timezone',
  'get-users',
  'get-vcpus',
  'info',
  'network-get-interfaces',
  'ping',
  'set-user-password',
  'shutdown',
  'suspend-disk',
  'suspend-hybrid',
  'suspend-ram',
];

/** Reads through the agent in a VM. */
export function agentHandlers(world: DemoWorld): HandlerTable {
  const root = '/nodes/{node}/qemu/{vmid}/agent';
  const read = (answer: (facts: AgentFacts, guest: DemoGuest, request: HandlerRequest) => unknown) => {
    return (request: HandlerRequest) => {
      const guest = guestOf(world, request, 'qemu');
      return { result: answer(answering(guest), guest, request) };
    };
  };
  return {
    [root]: directory('name', COMMANDS),
    [`${root}/get-osinfo`]: read((facts) => facts.osinfo),
    [`${root}/get-host-name`]: read((facts) => ({ 'host-name': facts.hostName })),
    [`${root}/get-fsinfo`]: read((facts) => facts.fsinfo),
    [`${root}/get-users`]: read((facts) => facts.users),
    [`${root}/get-timezone`]: read((facts) => facts.timezone),
    [`${root}/get-time`]: read((_facts, _guest, request) => request.now() * 1_000_000),
    [`${root}/get-vcpus`]: read((_facts, guest) =>
      Array.from({ length: guest.cpus }, (_unused, id) => ({ 'logical-id': id, online: true, 'can-offline': id > 0 })),
    ),
    [`${root}/get-memory-blocks`]: read(() => [{ 'phys-index': 0, online: true, 'can-offline': false }]),
    [`${root}/get-memory-block-info`]: read(() => ({ size: 134_217_728 })),
    [`${root}/info`]: read((facts) => ({
      version: facts.version,
      supported_commands: [
        { name: 'guest-ping', enabled: true, 'success-response': true },
        { name: 'guest-network-get-interfaces', enabled: facts.interfaces !== undefined, 'success-response': true },
        { name: 'guest-exec', enabled: false, 'success-response': true },
      ],
    })),
    [`${root}/network-get-interfaces`]: read((facts) => {
      if (facts.interfaces !== undefined) return facts.interfaces;
      throw new DemoHttpError(500, 'Agent error: The command guest-network-get-interfaces has not been found');
    }),
    [`${root}/file-read`]: (request) => {
      answering(guestOf(world, request, 'qemu'));
      return { content: world.agentOutput.file };
    },
    [`${root}/exec-status`]: (request) => {
      answering(guestOf(world, request, 'qemu'));
      return { exited: 1, exitcode: 0, 'out-data': world.agentOutput.command };
    },
  };
}

/** The facts of an agent that answers; otherwise the error that tells why there is none. */
function answering(guest: DemoGuest): AgentFacts {
  if (guest.pid === undefined) throw new DemoHttpError(500, `VM ${guest.vmid} is not running`);
  const { agent } = guest.detail;
  if (agent.kind === 'answers') return agent.facts;
  throw new DemoHttpError(500, agent.kind === 'off' ? 'No QEMU guest agent configured' : 'QEMU guest agent is not running');
}
