import { fromBinary } from '@bufbuild/protobuf'
import { PermissionDecision } from '@parley/contracts/admin'
import { EventBatchSchema } from '@parley/contracts/internal'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { testAdmin, type TestAdmin } from './_admin.ts'

// In these tests the database of admin was restored, and other services apply a decision that it has lost.

const { ALLOW, DENY } = PermissionDecision

let admin: TestAdmin
beforeEach(async () => {
  admin = await testAdmin()
})
afterEach(() => admin[Symbol.asyncDispose]())

const decide = (decision: PermissionDecision) =>
  admin.owner.adminPermissions.setRolePermission({ roleName: 'moderator', permission: 'message.post', decision })

async function readNewestDelta() {
  const manager = await admin.bus.nc.jetstreamManager()
  const message = await manager.streams.getMessage('EVENTS', {
    last_by_subj: 'evt.control.policy.server.policy_changed',
  })
  const event = fromBinary(EventBatchSchema, message.data).events.at(-1)
  return event?.fact.case === 'policy' ? event.fact.value : undefined
}

/** Stores a denial, then an ALLOW that the database loses. Returns the lost revision. */
async function loseAllow(): Promise<bigint> {
  await decide(DENY)
  const kept = await readNewestDelta()
  await decide(ALLOW)
  const lost = await readNewestDelta()
  await admin.pool.query(
    `update permission_decisions set decision = 'deny' where subject_id = 'moderator' and permission = 'message.post'`,
  )
  await admin.pool.query('update policy_state set revision = $1', [kept?.revision])
  return lost?.revision ?? 0n
}

test('repeating a stored decision announces a revision above the lost one', async () => {
  await admin.start()
  const lost = await loseAllow()
  await decide(DENY)
  const published = await readNewestDelta()
  expect(published?.revision).toBeGreaterThan(lost)
  // A process without the base revision loads the whole policy.
  expect(published?.baseRevision).toBeLessThan(lost)
  expect(published?.decisions).toMatchObject([{ permission: 'message.post', decision: DENY }])
  await decide(DENY)
  expect((await readNewestDelta())?.revision).toBe(published?.revision)
})

test('a starting process announces a revision above the lost one', async () => {
  const first = await admin.start()
  const lost = await loseAllow()
  await first[Symbol.asyncDispose]()
  await admin.start()
  await eventually(async () => expect((await readNewestDelta())?.revision).toBeGreaterThan(lost))
})
