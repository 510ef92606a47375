import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import type { Message } from './message.ts'
import type { Outcome, RoomCommand } from './room-command.ts'
import { RoomWriter } from './room-writer.ts'

const { signal } = new AbortController()
const post = { kind: 'post', message: {} as Message, signal } as const
const change = { kind: 'change', change: () => Promise.resolve([]), signal } as const
const facts = { kind: 'facts', facts: [], signal } as const

function slowWriter() {
  const batches: { kinds: string[]; end: () => Promise<void> }[] = []
  const writer = new RoomWriter((_, commands) => {
    return new Promise<Outcome[]>((resolve) => {
      const end = () => {
        resolve(commands.map(outcomeOf))
        return new Promise<void>(setImmediate)
      }
      batches.push({ kinds: commands.map(({ kind }) => kind), end })
    })
  })
  return { writer, batches }
}

function outcomeOf({ kind }: RoomCommand): Outcome {
  if (kind === 'post') return { kind: 'written', seq: 1n }
  if (kind === 'change') return { kind: 'changed', places: 1 }
  return { kind: 'stored', applied: 1, room: undefined, lastEntry: 0n }
}

test('a room has one running batch; waiting facts come first in the next', async () => {
  const { writer, batches } = slowWriter()
  const outcomes = Promise.all([
    writer.submit('R1', post),
    writer.submit('R1', post),
    writer.submit('R1', change),
    writer.submit('R1', facts),
  ])
  expect(batches.map(({ kinds }) => kinds)).toEqual([['post']])
  await batches[0]?.end()
  await batches[1]?.end()
  expect(batches.map(({ kinds }) => kinds)).toEqual([['post'], ['facts', 'post', 'change']])
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['written', 'written', 'changed', 'stored'])
})

test('64 posts fill a batch, and a change counts as four', async () => {
  const { writer, batches } = slowWriter()
  void Array.from({ length: 80 }, () => writer.submit('R1', post))
  void Array.from({ length: 20 }, () => writer.submit('R1', change))
  for (const n of [0, 1, 2, 3]) await batches[n]?.end()
  expect(batches.map(({ kinds }) => kinds.length)).toEqual([1, 64, 15 + 13, 7])
})

test('a full queue refuses posts but accepts facts; canceled posts are not written', async () => {
  const { writer, batches } = slowWriter()
  const call = new AbortController()
  void writer.submit('R1', post)
  const canceled = expect(writer.submit('R1', { ...post, signal: call.signal })).rejects.toMatchObject({
    code: Code.Canceled,
  })
  void Array.from({ length: 2_047 }, () => writer.submit('R1', post))
  await expect(writer.submit('R1', post)).rejects.toMatchObject({ code: Code.Unavailable })
  void writer.submit('R1', facts)
  call.abort()
  await batches[0]?.end()
  expect(batches[1]?.kinds).toEqual(['facts', ...Array.from({ length: 62 }, () => 'post')])
  await canceled
})
