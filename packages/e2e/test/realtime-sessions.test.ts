import { beforeEach, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { MyAccountService } from '@parley/contracts/api'
import { fleet } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { newPerson, operate, type Person, signIn, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { socketsPerTest } from '../src/sockets-per-test.ts'

const { listenAt: listen } = socketsPerTest()

let ada: Person
beforeEach(async () => {
  ada = await newPerson('ada')
})

const logOut = (person: Person, base: string) => postJson(`${base}/auth/logout`, {}, person.authorization)

async function expectTerminated(socket: Socket, reason: string) {
  expect(await socket.waitUntilClosed()).toMatchObject({ code: 1008 })
  const [event, close] = socket.frames.slice(-2)
  expect(event).toMatchObject({ case: 'event', value: { event: { case: 'sessionTerminated', value: { reason } } } })
  expect(close).toMatchObject({ case: 'close', value: { code: 'session_terminated', reconnect: false } })
}

describe('log-out', () => {
  test.each([0, 1] as const)(
    'at gateway %i closes the sockets of the session at every node and gateway',
    async (gateway) => {
      const sockets = await Promise.all(
        [...fleet().realtimeNodes, ...fleet().gateways].map((base) => listen(ada, base)),
      )
      expect((await logOut(ada, fleet().gateways[gateway])).status).toBe(200)
      for (const socket of sockets) await expectTerminated(socket, 'logout')
    },
  )

  test('closes all sockets of the session: later posts reach none of them', async () => {
    const owner = await signInOwner()
    const roomId = await newRoom(owner, [ada])
    const sockets = await Promise.all(fleet().realtimeNodes.map((node) => listen(ada, node)))
    await logOut(ada, fleet().gateways[0])
    const eventId = await post(owner, roomId, 'after you left')
    for (const socket of sockets) {
      await socket.waitUntilClosed()
      expect(socket.events.filter(({ id }) => id === eventId)).toEqual([])
    }
  })

  test('closes no sockets of other users, and another session of the user can open new ones', async () => {
    const [bob, again] = await Promise.all([newPerson('bob'), signIn(ada)])
    const bobSocket = await listen(bob, fleet().realtimeNodes[0])
    const adaSocket = await listen(ada, fleet().realtimeNodes[0])
    await logOut(ada, fleet().gateways[1])
    await adaSocket.waitUntilClosed()
    await bobSocket.roundTrip()
    expect(bobSocket.isClosed).toBe(false)
    const back = await listen(again, fleet().realtimeNodes[1])
    await back.roundTrip()
    expect(back.isClosed).toBe(false)
  })

  test('makes the token invalid for new sockets at every node and gateway', async () => {
    await logOut(ada, fleet().gateways[0])
    for (const base of [...fleet().realtimeNodes, ...fleet().gateways]) {
      using socket = await Socket.open(base)
      socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: ada.token } })
      expect(await socket.first('error')).toMatchObject({ code: 'authentication_required' })
    }
  })
})

test('a new password set by the operator closes every socket and ends every session', async () => {
  const sockets = await Promise.all(fleet().realtimeNodes.map((node) => listen(ada, node)))
  await operate(['user', 'set-password', '--login', ada.login, '--password-stdin'], 'a completely new one')
  for (const socket of sockets) {
    expect(await socket.waitUntilClosed()).toMatchObject({ code: 1008 })
    const reasons = socket.events.flatMap(({ event }) =>
      event.case === 'sessionTerminated' ? [event.value.reason] : [],
    )
    expect(reasons).toEqual([expect.stringMatching(/^password_(changed|reset)$/)])
  }
  for (const base of fleet().gateways) {
    const answer = await postJson(`${base}/api/connect/svc.api.v1.ViewerService/GetViewer`, {}, ada.authorization)
    expect(answer.status).toBe(401)
  }
  await signIn({ login: ada.login, password: 'a completely new one' })
})

const { listMySessions, endMySession } = MyAccountService.method

test('a session that another session ends loses its sockets', async () => {
  const again = await signIn(ada)
  const [there, here] = [await listen(ada, fleet().realtimeNodes[0]), await listen(again, fleet().realtimeNodes[1])]
  const { sessions } = await again.call(listMySessions, {})
  const other = sessions.find(({ current }) => !current)
  expect(await again.call(endMySession, { sessionId: other?.id ?? '' })).toMatchObject({ ended: 1 })
  expect(await there.waitUntilClosed()).toMatchObject({ code: 1008 })
  expect(there.frames.at(-1)).toMatchObject({ case: 'close', value: { code: 'session_terminated', reconnect: false } })
  await here.roundTrip()
  expect(here.isClosed).toBe(false)
  expect(here.events.filter(({ event }) => event.case === 'sessionTerminated')).toEqual([])
  expect((await again.call(listMySessions, {})).sessions.map(({ current }) => current)).toEqual([true])
})

test('a deactivated account loses access at once, and regains it when reactivated', async () => {
  const owner = await signInOwner()
  const sockets = await Promise.all(fleet().realtimeNodes.map((node) => listen(ada, node)))
  await owner.call(AdminUserService.method.deactivateUser, { userId: ada.userId })
  for (const socket of sockets) await expectTerminated(socket, 'account_deactivated')
  for (const base of fleet().gateways) {
    expect(
      (await postJson(`${base}/api/connect/svc.api.v1.ViewerService/GetViewer`, {}, ada.authorization)).status,
    ).toBe(401)
    const { login } = ada
    expect((await postJson(`${base}/auth/login`, { login, password: ada.password })).status).toBe(403)
  }
  await owner.call(AdminUserService.method.reactivateUser, { userId: ada.userId })
  const back = await listen(await signIn(ada), fleet().realtimeNodes[1])
  await back.roundTrip()
})
