import { beforeEach, describe, expect, test } from '@jest/globals'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { MessageService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { socketsPerTest } from '../src/sockets-per-test.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import type { Socket } from '@parley/testkit/realtime-socket'

const { banMember, unbanMember, joinRoom, addMember, listBans } = RoomService.method

let owner: Person
let ada: Person
let bob: Person
let sockets: { ada: Socket[]; bob: Socket[] }
const { listen } = socketsPerTest()
beforeEach(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
  sockets = { ada: await listen(ada), bob: await listen(bob) }
})

async function bobReceives(roomId: string): Promise<boolean[]> {
  const eventId = await post(ada, roomId, 'listen')
  for (const socket of sockets.ada) await socket.waitForMessage(eventId)
  for (const socket of sockets.bob) await socket.roundTrip()
  return sockets.bob.map(({ events }) => events.some(({ id }) => id === eventId))
}

let turn = 0
const nextGateway = () => ({ base: fleet().gateways[turn++ % 2 === 0 ? 0 : 1] })
const ban = (roomId: string, ms: number) => {
  const expiresAt = timestampFromDate(new Date(Date.now() + ms))
  return owner.call(banMember, { roomId, userId: bob.userId, reason: 'noise', expiresAt }, nextGateway())
}
const anHour = 3_600_000
/** A ban of this length is still in effect when the call that made it returns. In milliseconds. */
const aMoment = 8_000

const refusalCodes = async (roomId: string) =>
  await Promise.all(
    fleet().gateways.flatMap((base) => [
      bob.attempt(joinRoom, { roomId }, { base }).then(codeOf),
      bob.attempt(MessageService.method.createMessage, { roomId, body: 'let me in' }, { base }).then(codeOf),
      bob.attempt(RoomService.method.getRoomEvents, { roomId }, { base }).then(codeOf),
      owner.attempt(addMember, { roomId, userId: bob.userId }, { base }).then(codeOf),
    ]),
  )

describe('a temporary ban', () => {
  test('keeps the user out of a channel at once, also on open sockets, until the ban ends', async () => {
    const roomId = await newRoom(owner, [ada, bob])
    expect(await bobReceives(roomId)).toEqual([true, true])
    await ban(roomId, anHour)
    expect(await bobReceives(roomId)).toEqual([false, false])
    expect(new Set(await refusalCodes(roomId))).toEqual(new Set(['permission_denied']))
    const { bans } = await owner.call(listBans, { roomId })
    expect(bans).toMatchObject([{ userId: bob.userId, moderatorId: owner.userId, reason: 'noise' }])
    await owner.call(unbanMember, { roomId, userId: bob.userId, reason: 'peace' })
    await bob.call(joinRoom, { roomId })
    expect(await bobReceives(roomId)).toEqual([true, true])

    await ban(roomId, aMoment)
    await eventually(async () => expect(codeOf(await bob.attempt(joinRoom, { roomId }))).toBeUndefined())
    expect(await bobReceives(roomId)).toEqual([true, true])
    expect((await owner.call(listBans, { roomId })).bans).toEqual([])
  })

  test('keeps the user out of a universal room at once, until the ban ends', async () => {
    const roomId = await newRoom(owner, [], { universal: true })
    expect(await bobReceives(roomId)).toEqual([true, true])
    await ban(roomId, anHour)
    expect(await bobReceives(roomId)).toEqual([false, false])
    const answers = await refusalCodes(roomId)
    // addMember is invalid for universal rooms.
    expect(new Set(answers)).toEqual(new Set(['permission_denied', 'invalid_argument']))
    await owner.call(unbanMember, { roomId, userId: bob.userId, reason: 'peace' })
    expect(await bobReceives(roomId)).toEqual([true, true])

    await ban(roomId, aMoment)
    await eventually(async () => expect(await bobReceives(roomId)).toEqual([true, true]))
    await post(bob, roomId, 'back again')
  })
})
