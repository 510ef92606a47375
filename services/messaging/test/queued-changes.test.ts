import { Code } from '@connectrpc/connect'
import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { PolicyDecisionSchema } from '@parley/contracts/internal'
import { policyFrom } from '@parley/permissions'
import { standardPolicy } from '@parley/testkit'
import { changeMessage } from '../src/actions/room-log/change.ts'
import { RoomHeaderCache } from '../src/actions/room-log/room-header-cache.ts'
import { RoomWriter } from '../src/actions/room-log/room-writer.ts'
import { planUpdate } from '../src/actions/room-log/update.ts'
import { writeBatch } from '../src/actions/room-log/write-batch.ts'
import type { Context } from '../src/context.ts'
import { errorWith, say } from './_conversation.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()

test('a queued edit is refused if its author loses access to the room before it is written', async () => {
  const { roomId } = await fleet.room().channel(['bob'], { universal: true })
  const { id: eventId } = await say(fleet.as('ann'), roomId, 'x')
  let policy = standardPolicy()
  const ctx = {
    pool: fleet.pool,
    headers: new RoomHeaderCache(() => Promise.resolve(undefined)),
    writer: new RoomWriter((id, commands) => {
      policy = { ...policy, decisions: [...policy.decisions, denyJoin] }
      return writeBatch(ctx, id, commands)
    }),
    policy: () => policyFrom(policy),
    now: () => new Date(),
    editWindowMs: 60_000,
  } as Context
  const ann = { userId: 'ann', roleIds: [] }
  const { signal } = new AbortController()
  const decide = planUpdate.bind(undefined, ctx, ann, { eventId, body: 'y', withEcho: undefined })
  const editing = changeMessage(ctx, ann, { roomId, eventId, signal }, decide)
  await expect(editing).rejects.toMatchObject(errorWith(Code.PermissionDenied, 'not a member'))
  const { message } = await fleet.as('bob').messages.getMessage({ roomId, eventId })
  expect(message).toMatchObject({ body: 'x' })
})

const denyJoin = create(PolicyDecisionSchema, {
  ...{ roleId: 'everyone', permission: 'room.join', decision: PermissionDecision.DENY },
  scope: { kind: PermissionScopeKind.SERVER },
})
