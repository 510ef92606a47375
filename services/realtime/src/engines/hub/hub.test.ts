import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import { EventSchema } from '@parley/contracts/internal'
import { hintFrame } from './frame.ts'
import { Hub } from './hub.ts'
import { ReplayBuffer } from './replay-buffer.ts'
import { UserAccess } from './user-access.ts'

const anna = new UserAccess('Uanna', [], 1n)

const posted = (id: string, occurredAtMs: number) =>
  create(EventSchema, {
    ...{ id, kind: 'message_posted', aggregateType: 'room', aggregateId: `R${id}`, version: 1n },
    occurredAt: timestampFromMs(occurredAtMs),
    deliveries: [{ envelope: Buffer.from(id), audience: { case: 'users', value: { userIds: ['Uanna'] } } }],
  })

function newHub(now: number) {
  const replayBuffer = new ReplayBuffer({ windowMs: 600_000, maxBytes: 1_000_000, maxReplayBytes: 1_000_000 })
  const ignore = () => undefined
  const policy = () => {
    throw new Error('not needed')
  }
  return new Hub({
    publish: ignore,
    verify: ignore,
    metrics: { published: ignore },
    policy,
    replayBuffer,
    now: () => now,
  })
}

test('after a loss of the stream, a position from before an old event is refused: another node may have sent that event', () => {
  using hub = newHub(100_000)
  hub.reset()
  hub.replayableSince(0)
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

test('of events about a deleted person only the deletion is replayed', () => {
  using hub = newHub(100_000)
  hub.replayableSince(0)
  const changed = create(EventSchema, {
    ...{ id: 'E1', kind: 'user_profile_updated', aggregateType: 'user', aggregateId: 'Ubert', version: 1n },
    deliveries: [{ envelope: Buffer.from('Bert'), audience: { case: 'everyone', value: true } }],
  })
  hub.deliver(changed, { seq: 1, storedAtMs: 200_000 })
  expect(hub.replay(anna, hub.position)).toEqual({ frames: [expect.any(Uint8Array)] })
  const deleted = create(EventSchema, {
    ...{ id: 'E2', kind: 'account_deleted', aggregateType: 'user', aggregateId: 'Ubert', version: 2n },
    deliveries: [{ envelope: Buffer.from('deleted'), audience: { case: 'everyone', value: true } }],
  })
  hub.deliver(deleted, { seq: 2, storedAtMs: 200_001 })
  expect(hub.replay(anna, hub.position)).toEqual({ frames: [hintFrame(Buffer.from('deleted'))] })
})
