import { beforeAll, describe, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { RoomKind } from '@parley/contracts/api'
import { PolicyDecisionSchema } from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { codeOf, useEnv, person } from './_env.ts'

const env = useEnv()

beforeAll(async () => {
  env.accounts.people = [
    ...['Ualice', 'Ubob', 'Ucarol', 'Umuted', 'Usolo'].map((userId) => person(userId)),
    person('Ugone', { deleted: true }),
  ]
  env.admin.policy.decisions.push(
    create(PolicyDecisionSchema, {
      userId: 'Umuted',
      permission: 'message.post',
      scope: { kind: PermissionScopeKind.SERVER },
      decision: PermissionDecision.DENY,
    }),
  )
  await env.start()
  await env.start()
})

const start = (userId: string, participantIds: string[], headers: Record<string, string> = {}) =>
  env.as(userId).rooms.startDM({ participantIds }, { headers })

describe('StartDM', () => {
  test('starts one direct message per set of people', async () => {
    const { room } = await start('Ualice', ['Ubob', 'Ucarol'])
    expect(room).toMatchObject({ kind: RoomKind.DM, name: '', groupId: '', universal: false })
    expect(env.messaging.kindsOf(room?.id ?? '')).toEqual(['created', 'joined', 'joined', 'joined'])
    expect(env.messaging.factsOf(room?.id ?? '')[0]?.fact).toMatchObject({
      value: { kind: RoomKind.DM, participantIds: ['Ualice', 'Ubob', 'Ucarol'] },
    })
    const again = await start('Ucarol', ['Ubob', 'Ualice', 'Ubob', 'Ucarol'])
    expect(again.room?.id).toBe(room?.id)
    const { room: seen } = await env.as('Ubob').directory.getRoom({ roomId: room?.id ?? '' })
    expect(seen?.viewerState?.isMember).toBe(true)
  })

  test('without others starts a direct message with oneself', async () => {
    const { room } = await start('Usolo', [])
    expect(env.messaging.kindsOf(room?.id ?? '')).toEqual(['created', 'joined'])
    expect((await start('Usolo', ['Usolo'])).room?.id).toBe(room?.id)
    const { room: seen } = await env.as('Usolo').directory.getRoom({ roomId: room?.id ?? '' })
    expect(seen?.viewerState?.isMember).toBe(true)
  })

  test('starts a direct message that only its participants can see', async () => {
    const { room } = await start('Ubob', ['Ucarol'])
    const roomId = room?.id ?? ''
    await eventually(async () => {
      const { members, page } = await env.as('Ubob').rooms.listMembers({ roomId })
      expect(members.map(({ user }) => user?.id)).toEqual(['Ubob', 'Ucarol'])
      expect(page).toMatchObject({ totalCount: 2n })
    })
    expect(await codeOf(env.as('Ualice').rooms.listMembers({ roomId }))).toBe(Code.NotFound)
    expect(await codeOf(env.as('Ualice', 'owner').directory.getRoom({ roomId }))).toBe(Code.NotFound)
  })

  test('called three times concurrently starts one', async () => {
    for (const other of ['Ubob', 'Ucarol', 'Umuted']) {
      const started = await Promise.all([start('Ualice', [other]), start('Ualice', [other]), start('Ualice', [other])])
      const [id] = new Set(started.map(({ room }) => room?.id))
      expect(started.every(({ room }) => room?.id === id)).toBe(true)
      expect(env.messaging.kindsOf(id ?? '')).toEqual(['created', 'joined', 'joined'])
    }
  })

  test('returns the same direct message for one key, and refuses another request with it', async () => {
    const headers = { 'Idempotency-Key': 'dm-1' }
    const first = await start('Ubob', ['Ucarol'], headers)
    expect((await start('Ubob', ['Ucarol'], headers)).room?.id).toBe(first.room?.id)
    expect(await codeOf(start('Ubob', ['Ualice'], headers))).toBe(Code.InvalidArgument)
  })

  test.each<[string, string, string[], Code]>([
    ['unknown people', 'Ualice', ['Unobody'], Code.NotFound],
    ['deleted people', 'Ualice', ['Ugone'], Code.NotFound],
    ['a caller to whom message.post is denied', 'Umuted', ['Ubob'], Code.PermissionDenied],
    ['more than nine others', 'Ualice', Array.from({ length: 10 }, (_, n) => `U${n}`), Code.InvalidArgument],
  ])('refuses %s', async (_what, userId, participantIds, code) => {
    expect(await codeOf(start(userId, participantIds))).toBe(code)
  })
})
