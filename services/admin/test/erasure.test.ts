import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PermissionDecision } from '@parley/contracts/admin'
import { eventually, recordEvents, requestErasure } from '@parley/testkit'
import { testAdmin, type TestAdmin } from './_admin.ts'
import { fakeNeighbours, type Neighbours } from './_neighbours.ts'

let admin: TestAdmin
let neighbours: Neighbours & AsyncDisposable

beforeAll(async () => {
  admin = await testAdmin()
  neighbours = await fakeNeighbours(admin)
  await admin.start()
})
afterAll(async () => {
  await neighbours[Symbol.asyncDispose]()
  await admin[Symbol.asyncDispose]()
})

test('decisions about a deleted person are removed, every process is notified, and the person loses administration', async () => {
  neighbours.people = [{ id: 'Ugone' }, { id: 'Ustays' }]
  const decide = (userId: string, permission: string) =>
    admin.owner.adminPermissions.setUserPermission({ userId, permission, decision: PermissionDecision.ALLOW })
  await decide('Ugone', 'room.create')
  await decide('Ugone', 'message.echo')
  await decide('Ustays', 'room.create')
  const { revision } = await admin.anonymous.internal.getPolicy({})
  await using recording = await recordEvents(admin.bus, 'evt.control.policy.>')

  await requestErasure(admin.bus, 'Ugone', 1)
  await eventually(() => expect(neighbours.erasures.found('Ugone', 1)).toBe(2n))
  const policy = await admin.anonymous.internal.getPolicy({})
  expect(policy.decisions.filter(({ userId }) => userId !== '').map(({ userId }) => userId)).toEqual(['Ustays'])
  const { NONE } = PermissionDecision
  await eventually(() => expect(recording.events.length).toBe(1))
  expect(recording.events[0]?.fact).toMatchObject({
    case: 'policy',
    value: { baseRevision: revision, decisions: [{ userId: 'Ugone', decision: NONE }, { decision: NONE }] },
  })
  const late = admin.as('Ugone', 'owner').adminPermissions.setUserPermission({
    ...{ userId: 'Ustays', permission: 'room.create', decision: NONE },
  })
  await expect(late).rejects.toMatchObject({ code: Code.Unauthenticated })
  await requestErasure(admin.bus, 'Ugone', 2)
  await eventually(() => expect(neighbours.erasures.found('Ugone', 2)).toBe(0n))
})
