import { expect, it } from 'vitest';
import { progressLine } from './progress.ts';

function record(isTTY: boolean) {
  let time = 0;
  const parts: string[] = [];
  const screen = { isTTY, write: (part: string) => parts.push(part) };
  const wait = (ms: number): void => {
    time += ms;
  };
  return { line: progressLine(screen, () => time), wait, text: () => parts.join('') };
}

it('says nothing about a call that is over at once, and does not repeat itself', () => {
  const { line, wait, text } = record(false);
  line.report(1, 3, 'guests');
  expect(text()).toBe('');
  wait(1_000);
  line.report(1, 3, 'guests');
  line.report(1, 3, 'guests');
  line.report(2, 3, 'guests');
  wait(500);
  line.report(2, 3, 'guests');
  line.report(3, 3, 'guests');
  line.end();
  expect(text()).toBe('mcp-proxmox call: 1 of 3 guests\nmcp-proxmox call: 2 of 3 guests\n');
});

it('has one line on a terminal, and takes it away', () => {
  const { line, wait, text } = record(true);
  wait(1_000);
  line.report(1, 3, 'guests');
  line.end();
  expect(text()).toBe('\r\u001b[K1 of 3 guests\r\u001b[K');
});
