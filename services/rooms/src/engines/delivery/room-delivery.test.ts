import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from '@jest/globals'
import type { RoomFact } from '@parley/contracts/internal'
import type { Batch } from '../../clients/messaging.ts'
import { roomFact } from '../../domain/room-fact.ts'
import { RoomDelivery, type FactStore } from './room-delivery.ts'

const fact = (version: number): RoomFact =>
  roomFact(BigInt(version - 1), { case: 'joined', value: { userId: `U${version}` } }, { actorId: '', at: new Date(0) })
const facts = (...versions: number[]): RoomFact[] => versions.map(fact)

/** Models messaging (`held`: the last applied version) and the stored facts. */
let held: bigint
let sent: number[][]
let stored: RoomFact[]
let marked: [bigint, boolean][]
let failures: number
let answer: (batch: Batch) => Promise<void>

beforeEach(() => {
  held = 0n
  sent = []
  stored = facts(1, 2, 3, 4, 5)
  marked = []
  failures = 0
  answer = () => Promise.resolve()
})

function delivery({ awaitStream = false } = {}): RoomDelivery {
  const store: FactStore = {
    findAbove: (_room, version) => Promise.resolve(stored.filter((fact) => fact.version > version)),
    unapplied: (_room, upTo) =>
      Promise.resolve(stored.filter(({ version }) => version <= upTo && version > (marked.at(-1)?.[0] ?? 0n))),
    one: (_room, version) => Promise.resolve(stored.filter((fact) => fact.version === version)),
    rebase: (_room, _held, versions) =>
      Promise.resolve({ newVersions: new Map(versions.map((version) => [version, version])), rebased: 0 }),
    markApplied: (_room, upTo, streamed) => Promise.resolve(void marked.push([upTo, streamed])),
  }
  return new RoomDelivery({
    roomId: 'R1',
    awaitStream,
    facts: store,
    apply: async (batch) => {
      sent.push(batch.facts.map(({ version }) => Number(version)))
      await answer(batch)
      for (const { version } of batch.facts) if (version === held + 1n) held = version
      return { version: held, eventId: '' }
    },
    onFailure: () => failures++,
    onIdle: () => undefined,
  })
}

test('a delivery sends a fact from memory, and marks it as applied', async () => {
  held = 4n
  const one = delivery()
  await expect(one.deliver(5n, facts(5), 60_000)).resolves.toBe(true)
  await one.drain()
  expect(sent).toEqual([[5]])
  expect(marked).toEqual([[5n, false]])
})

test('facts that arrive during a call are sent in the next', async () => {
  held = 2n
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  answer = () => (sent.length === 1 ? gate : Promise.resolve())
  const one = delivery()
  const first = one.deliver(3n, facts(3), 60_000)
  const others = [one.deliver(5n, facts(5), 60_000), one.deliver(4n, facts(4), 60_000)]
  await setImmediate()
  open()
  await expect(Promise.all([first, ...others])).resolves.toEqual([true, true, true])
  expect(sent).toEqual([[3], [4, 5]])
})

test('a delivery sends the fact in memory, then all stored facts that messaging lacks', async () => {
  held = 1n
  await expect(delivery().deliver(5n, facts(5), 60_000)).resolves.toBe(true)
  expect(sent).toEqual([[5], [2, 3, 4, 5]])
})

test('a delivery without a fact in memory sends the stored facts that are not marked as applied', async () => {
  held = 3n
  marked.push([3n, false])
  await expect(delivery().deliver(5n, [], 60_000)).resolves.toBe(true)
  expect(sent).toEqual([[4, 5]])
})

test('a delivery resends facts that messaging has lost, although they are marked as applied', async () => {
  held = 2n
  marked.push([5n, false])
  await expect(delivery().deliver(5n, [], 60_000)).resolves.toBe(true)
  expect(sent).toEqual([[5], [3, 4, 5]])
})

test('a delivery retries after a failure while a caller waits', async () => {
  held = 4n
  answer = () => (sent.length === 1 ? Promise.reject(new Error('unavailable')) : Promise.resolve())
  await expect(delivery().deliver(5n, facts(5), 60_000)).resolves.toBe(true)
  expect(failures).toBe(1)
  expect(held).toBe(5n)
})

test('a delivery stops when no caller waits any longer', async () => {
  answer = () => Promise.reject(new Error('unavailable'))
  const one = delivery()
  await expect(one.deliver(1n, facts(1), 30)).resolves.toBe(false)
  await one.drain()
  const calls = sent.length
  await setImmediate()
  expect(sent).toHaveLength(calls)
  expect(marked).toEqual([])
})

test('the next call starts an idle delivery again', async () => {
  const one = delivery()
  await one.deliver(1n, facts(1), 60_000)
  await one.drain()
  await expect(one.deliver(2n, facts(2), 60_000)).resolves.toBe(true)
})

test('a delivery that waits for the stream marks as streamed only what it has sent itself', async () => {
  held = 5n
  await expect(delivery({ awaitStream: true }).deliver(3n, facts(3), 60_000)).resolves.toBe(true)
  expect(marked).toEqual([[3n, true]])
})
