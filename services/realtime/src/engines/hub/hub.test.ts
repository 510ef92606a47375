import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { expect, jest, test } from '@jest/globals'
import { EventSchema } from '@parley/contracts/internal'
import { frameWithoutPosition } from './frame.ts'
import { Hub } from './hub.ts'
import { ReplayBuffer } from './replay-buffer.ts'
import type { Subscriber } from './subscriber.ts'
import { UserAccess } from './user-access.ts'

const anna = new UserAccess('Uanna', [], 1n)

const posted = (id: string, occurredAtMs: number) =>
  create(EventSchema, {
    ...{ id, kind: 'message_posted', aggregateType: 'room', aggregateId: `R${id}`, version: 1n },
    occurredAt: timestampFromMs(occurredAtMs),
    deliveries: [{ envelope: Buffer.from(id), audience: { case: 'users', value: { userIds: ['Uanna'] } } }],
  })

function newHub(now: number, publish: () => void = () => undefined) {
  const replayBuffer = new ReplayBuffer({ windowMs: 600_000, maxBytes: 1_000_000, maxReplayBytes: 1_000_000 })
  const ignore = () => undefined
  const policy = () => {
    throw new Error('not needed')
  }
  return new Hub({
    publish,
    verify: ignore,
    metrics: { countPublished: ignore },
    policy,
    replayBuffer,
    now: () => now,
  })
}

const newSubscriber = (): Subscriber => ({
  ...{ isOpen: true, credentialId: undefined, buffered: 0, isOlderThan: () => false },
  ...{ subscribe: () => undefined, unsubscribe: () => undefined, end: () => undefined },
})

test('a position is refused if a later event of the stream happened before the last reset', () => {
  using hub = newHub(100_000)
  hub.reset()
  hub.setReplayableSince(0)
  const positions: string[] = []
  for (const [seq, event] of [posted('E1', 110_000), posted('E2', 90_000), posted('E3', 120_000)].entries()) {
    hub.deliver(event, { seq: seq + 1, storedAtMs: 120_000 + seq })
    positions.push(hub.position)
  }
  expect(positions.map((position) => hub.replay(anna, position))).toEqual([
    { refusal: 'access_changed' },
    { frames: [expect.any(Uint8Array)] },
    { frames: [] },
  ])
})

test('a position from before a missed change of the policy is refused', () => {
  using hub = newHub(100_000)
  hub.setReplayableSince(0)
  hub.deliver(posted('E1', 110_000), { seq: 1, storedAtMs: 120_000 })
  const { position } = hub
  hub.recomputeAccess('event')
  expect(hub.replay(anna, position)).toEqual({ frames: [] })
  hub.recomputeAccess('missed_event')
  expect(hub.replay(anna, position)).toEqual({ refusal: 'access_changed' })
  hub.deliver(posted('E2', 110_000), { seq: 2, storedAtMs: 120_001 })
  expect([position, hub.position].map((from) => hub.replay(anna, from))).toEqual([
    { refusal: 'access_changed' },
    { frames: [] },
  ])
})

test('clients whose rooms change must reconnect if the node missed the event, not if it received the event', () => {
  using hub = newHub(100_000)
  const ended: string[] = []
  const attach = (userId: string) =>
    hub.attach({ ...newSubscriber(), end: () => void ended.push(userId) }, { userId, roleIds: [], rolesVersion: 1n })
  const [gaining, losing] = [attach('Ugains'), attach('Uloses')]
  attach('Ukeeps')
  const change = { gains: [{ user: gaining, roomId: 'R1' }], losses: [{ user: losing, roomId: 'R2' }], affected: [] }
  jest.spyOn(hub.access, 'recompute').mockReturnValue(change)
  hub.recomputeAccess('event')
  expect(ended).toEqual([])
  hub.recomputeAccess('missed_event')
  expect(ended).toEqual(['Ugains', 'Uloses'])
})

const renamed = (id: string, version: bigint) =>
  create(EventSchema, {
    ...{ id, kind: 'user_profile_updated', aggregateType: 'user', aggregateId: 'Ubert', version },
    deliveries: [{ envelope: Buffer.from(id), audience: { case: 'everyone', value: true } }],
  })

test.each([1, 1_001])('after a reset, %i sockets receive only later events', (socketCount) => {
  jest.useFakeTimers()
  try {
    const publish = jest.fn()
    using hub = newHub(100_000, publish)
    for (let n = 0; n < socketCount; n++)
      hub.attach(newSubscriber(), { userId: 'Uanna', roleIds: [], rolesVersion: 1n })
    hub.deliver(renamed('E1', 1n), { seq: 1, storedAtMs: 100_000 })
    hub.deliver(renamed('E2', 2n), { seq: 2, storedAtMs: 100_001 })
    hub.reset()
    publish.mockClear()
    jest.advanceTimersByTime(60_000)
    expect(publish).not.toHaveBeenCalled()
    hub.deliver(renamed('E3', 3n), { seq: 3, storedAtMs: 100_002 })
    jest.advanceTimersByTime(60_000)
    expect(publish).toHaveBeenCalled()
  } finally {
    jest.useRealTimers()
  }
})

test('of the events about a deleted person, only the deletion is replayed', () => {
  using hub = newHub(100_000)
  hub.setReplayableSince(0)
  hub.deliver(renamed('E1', 1n), { seq: 1, storedAtMs: 200_000 })
  expect(hub.replay(anna, hub.position)).toEqual({ frames: [expect.any(Uint8Array)] })
  const deleted = create(EventSchema, {
    ...{ id: 'E2', kind: 'account_deleted', aggregateType: 'user', aggregateId: 'Ubert', version: 2n },
    deliveries: [{ envelope: Buffer.from('deleted'), audience: { case: 'everyone', value: true } }],
  })
  hub.deliver(deleted, { seq: 2, storedAtMs: 200_001 })
  expect(hub.replay(anna, hub.position)).toEqual({ frames: [frameWithoutPosition(Buffer.from('deleted'))] })
})
