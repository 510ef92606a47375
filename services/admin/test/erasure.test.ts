import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { PermissionDecision } from '@parley/contracts/admin'
import { metricsText } from '@parley/telemetry'
import { eventually, recordEvents, requestErasure } from '@parley/testkit'
import { useAdmin } from './_admin.ts'
import { startFakeServices, type FakeServices } from './_fake-services.ts'

const admin = useAdmin()
let fakes: FakeServices

beforeAll(async () => {
  fakes = admin.use(await startFakeServices(admin))
  await admin.start()
})

test('decisions for a deleted person are removed, and every process is notified', async () => {
  fakes.people = [{ id: 'Ugone' }, { id: 'Ustays' }]
  const decide = (userId: string, permission: string) =>
    admin.owner.adminPermissions.setUserPermission({ userId, permission, decision: PermissionDecision.ALLOW })
  await decide('Ugone', 'room.create')
  await decide('Ugone', 'message.echo')
  await decide('Ustays', 'room.create')
  const { revision } = await admin.anonymous.internal.getPolicy({})
  await using recording = await recordEvents(admin.bus, 'evt.control.policy.>')
  const countChanges = async () => Number(/^parley_admin_policy_changes\S* (\d+)/m.exec(await metricsText())?.[1])
  const changesBefore = await countChanges()

  await requestErasure(admin.bus, 'Ugone', 1)
  await eventually(() => expect(fakes.erasures.found('Ugone', 1)).toBe(2n))
  expect(await countChanges()).toBe(changesBefore + 1)
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
  await eventually(() => expect(fakes.erasures.found('Ugone', 2)).toBe(0n))
})
