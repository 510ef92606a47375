import { beforeAll, describe, expect, test } from '@jest/globals'
import { fleet, ownerCredentials } from '../src/fleet.ts'
import { type Answer, postJson } from '../src/http.ts'
import { newPerson, type Person, signIn, signInOwner } from '../src/people.ts'
import { roomName } from '../src/rooms.ts'

type Timeline = {
  events: { id: string; actorId: string; createdAt: string; messagePosted?: { message: { body: string } } }[]
  startCursor: string
  endCursor: string
  hasOlder?: boolean
  hasNewer?: boolean
}

let turn = 0
async function ask(person: Person, method: string, request: object): Promise<Answer> {
  const base = fleet().gateways[turn++ % 2 === 0 ? 0 : 1]
  return postJson(`${base}/api/connect/${method}`, request, {
    'connect-protocol-version': '1',
    authorization: `Bearer ${person.token}`,
  })
}

async function get<T>(person: Person, method: string, request: object): Promise<T> {
  const answer = await ask(person, method, request)
  if (answer.status !== 200) throw new Error(`${method}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as T
}

const rooms = 'svc.api.v1.RoomService'
const directory = 'svc.api.v1.RoomDirectoryService'
const messages = 'svc.api.v1.MessageService'

let owner: Person
let ada: Person
let bob: Person
let groupId: string
let room: { id: string; name: string }
const ids: string[] = []

beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})

describe('sign-in', () => {
  test('returns the user and a token, and sets the session cookie', async () => {
    const answer = await postJson(`${fleet().gateways[1]}/auth/login`, {
      identifier: ada.login.toUpperCase(),
      password: ada.password,
    })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        user: { id: ada.userId, login: ada.login },
        token: expect.stringMatching(/^prl_AT\w{43}$/),
      },
    })
    const cookies = answer.headers.getSetCookie()
    const session = cookies.find((cookie) => cookie.startsWith('parley_session='))
    expect(session).toMatch(/HttpOnly/)
    expect(session).toMatch(/SameSite=Lax/)
    expect(cookies.find((cookie) => cookie.startsWith('parley_csrf='))).not.toMatch(/HttpOnly/)
  })

  test('sets a cookie that alone authenticates a call at the other gateway', async () => {
    const [one, other] = fleet().gateways
    const login = await postJson(`${one}/auth/login`, { login: ada.login, password: ada.password })
    const cookie = login.headers
      .getSetCookie()
      .map((value) => value.split(';')[0])
      .join('; ')
    const answer = await postJson(`${other}/api/connect/svc.api.v1.ViewerService/GetViewer`, {}, { cookie })
    expect(answer.body).toMatchObject({ user: { profile: { id: ada.userId } } })
  })

  test('gives the same response to a wrong password and an unknown login', async () => {
    const wrong = await postJson(`${fleet().gateways[0]}/auth/login`, { login: ada.login, password: 'not this one' })
    const unknown = await postJson(`${fleet().gateways[0]}/auth/login`, {
      login: `${ada.login}x`,
      password: 'not this one',
    })
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.body).toEqual(unknown.body)
    expect(wrong.body).toEqual({ error: expect.any(String) })
  })

  test('answers 400 to a body that is not JSON', async () => {
    const answer = await postJson(`${fleet().gateways[0]}/auth/login`, 'login=ada')
    expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String) } })
  })

  test('gives several tokens if repeated; a log-out ends only the token that it presents', async () => {
    const leaving = await signIn(ada)
    const [one, other] = fleet().gateways
    expect(await postJson(`${one}/auth/logout`, {}, leaving.authorization)).toMatchObject({
      status: 200,
      body: { success: true },
    })
    for (const base of [one, other]) {
      const answer = await postJson(`${base}/api/connect/svc.api.v1.ViewerService/GetViewer`, {}, leaving.authorization)
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    }
    await get(ada, 'svc.api.v1.ViewerService/GetViewer', {})
  })
})

describe('before a room is created', () => {
  test('the server describes itself to anybody', async () => {
    const answer = await postJson(
      `${fleet().gateways[1]}/api/connect/svc.discovery.v1.ServerDiscoveryService/GetServer`,
      {},
    )
    expect(answer.status).toBe(200)
    const profile = { name: expect.any(String), version: expect.any(String) }
    expect(answer.body).toMatchObject({
      profile,
      publicProfile: profile,
      login: { directRegistrationEnabled: true, authorizeUrl: expect.stringContaining('/oauth/authorize') },
      directRegistrationEnabled: true,
    })
  })

  test('the viewer has the permissions of the role everyone', async () => {
    const viewer = await get<{ viewerPermissions: { permissions: { permission: string; granted?: boolean }[] } }>(
      ...([ada, 'svc.api.v1.ViewerService/GetViewer', {}] as const),
    )
    expect(viewer).toMatchObject({ user: { profile: { id: ada.userId, login: ada.login, displayName: ada.login } } })
    const granted = viewer.viewerPermissions.permissions
      .filter(({ granted }) => granted)
      .map(({ permission }) => permission)
    expect(viewer.viewerPermissions.permissions).toHaveLength(20)
    expect(granted).toEqual([
      ...['room.join', 'room.list', 'message.post', 'message.post-in-thread', 'message.attach', 'message.react'],
      ...['message.echo', 'user.delete-self'],
    ])
    expect(await get(owner, 'svc.api.v1.ViewerService/GetViewer', {})).toMatchObject({
      user: { profile: { login: ownerCredentials.login } },
      capabilities: { grants: expect.arrayContaining([{ capability: 'admin.view-system', granted: true }]) },
    })
  })

  test('the lobby contains general, and announcements as a universal room in which only some may post', async () => {
    const { groups } = await get<{ groups: { id: string; name: string; items: { room?: object }[] }[] }>(
      ...([ada, `${directory}/ListRoomGroups`, {}] as const),
    )
    const lobby = groups.find(({ name }) => name === 'Lobby')
    groupId = lobby?.id ?? ''
    expect(lobby?.items.slice(0, 2)).toMatchObject([
      { room: { room: { name: 'announcements', universal: true }, viewerState: { isMember: true } } },
      { room: { room: { name: 'general' } } },
    ])
    const announcements = lobby?.items[0]?.room as { room: { id: string } }
    const refused = await ask(ada, `${messages}/CreateMessage`, { roomId: announcements.room.id, body: 'hear, hear' })
    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  })
})

describe('a conversation', () => {
  test('a permitted person creates a room', async () => {
    const name = roomName()
    const refused = await ask(ada, `${rooms}/CreateRoom`, { name, groupId })
    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
    const made = await get<{ room: typeof room }>(owner, `${rooms}/CreateRoom`, { name, groupId, description: 'tea' })
    room = made.room
    expect(room).toEqual({ id: expect.any(String), kind: 'ROOM_KIND_CHANNEL', name, description: 'tea', groupId })
    const taken = await ask(owner, `${rooms}/CreateRoom`, { name: name.toUpperCase(), groupId })
    expect(taken).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  })

  test('the creator of a room is a member, and others can join', async () => {
    const before = await get(ada, `${directory}/GetRoom`, { roomId: room.id })
    expect(before).toMatchObject({ room: { room: { id: room.id } } })
    expect(before).not.toMatchObject({ room: { viewerState: { isMember: true } } })
    for (const person of [owner, ada, bob, ada]) {
      expect(await get(person, `${rooms}/JoinRoom`, { roomId: room.id })).toMatchObject({ room: { id: room.id } })
    }
    expect(await get(ada, `${directory}/GetRoom`, { roomId: room.id })).toMatchObject({
      room: {
        viewerState: {
          isMember: true,
          permissions: expect.arrayContaining([{ permission: 'message.post', granted: true }]),
        },
      },
    })
  })

  test('the room is in the lists of rooms', async () => {
    const listed = await get<{ rooms: { room: { id: string } }[] }>(ada, `${directory}/ListRooms`, {})
    expect(listed.rooms.map((entry) => entry.room.id)).toContain(room.id)
    const dms = await get<{ rooms?: [] }>(ada, `${directory}/ListRooms`, { scope: 'ROOM_DIRECTORY_SCOPE_DMS' })
    expect(dms.rooms ?? []).toEqual([])
    const grouped = await get<{ groups: { id: string; items: { room?: { room: { id: string } } }[] }[] }>(
      ...([bob, `${directory}/ListRoomGroups`, {}] as const),
    )
    const items = grouped.groups.find(({ id }) => id === groupId)?.items ?? []
    expect(items.at(-1)?.room?.room.id).toBe(room.id)
  })

  test('several rooms are fetched in the requested order, each once and without unknown ones', async () => {
    const { rooms: all } = await get<{ rooms: { room: { id: string; name: string } }[] }>(
      ...([ada, `${directory}/ListRooms`, { scope: 'ROOM_DIRECTORY_SCOPE_CHANNELS' }] as const),
    )
    const general = all.find((entry) => entry.room.name === 'general')?.room.id ?? ''
    const batch = await get<{ rooms: { room: { id: string } }[] }>(ada, `${directory}/BatchGetRooms`, {
      roomIds: [room.id, 'Rnowhere', general, room.id],
    })
    expect(batch.rooms.map((entry) => entry.room.id)).toEqual([room.id, general])
    expect(await ask(ada, `${directory}/GetRoom`, { roomId: 'Rnowhere' })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  })

  test('the response to a post contains the message as GetMessage returns it', async () => {
    for (const [person, body] of [
      [ada, 'one'],
      [bob, 'two'],
      [ada, 'three 🫖'],
      [bob, 'four'],
    ] as const) {
      const { message } = await get<{ message: { id: string } }>(person, `${messages}/CreateMessage`, {
        roomId: room.id,
        body,
      })
      expect(message).toMatchObject({ roomId: room.id, actorId: person.userId, body, createdAt: expect.any(String) })
      expect(await get(person, `${messages}/GetMessage`, { roomId: room.id, eventId: message.id })).toEqual({ message })
      ids.push(message.id)
    }
    expect(new Set(ids).size).toBe(4)
  })

  test('several messages are fetched in the requested order, each once and without unknown ones', async () => {
    const batch = await get<{ messages: { id: string }[] }>(bob, `${messages}/BatchGetMessages`, {
      roomId: room.id,
      eventIds: [ids[2], 'Enowhere', ids[0], ids[2]],
    })
    expect(batch.messages.map(({ id }) => id)).toEqual([ids[2], ids[0]])
    expect(await ask(bob, `${messages}/GetMessage`, { roomId: room.id, eventId: 'Enowhere' })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  })

  test('a reply refers to its message', async () => {
    const reply = await get(bob, `${messages}/CreateMessage`, { roomId: room.id, body: 'five', inReplyTo: ids[0] })
    expect(reply).toMatchObject({ message: { inReplyTo: ids[0] } })
    ids.push((reply as { message: { id: string } }).message.id)
  })
})

describe('the timeline', () => {
  const fetchPage = async (request: object) =>
    (await get<{ page: Timeline }>(ada, `${rooms}/GetRoomEvents`, { roomId: room.id, ...request })).page
  const bodies = (page: Timeline) => page.events.flatMap(({ messagePosted }) => messagePosted?.message.body ?? [])

  test('contains everything in order, oldest first', async () => {
    const page = await fetchPage({})
    const kinds = page.events.map((event) => Object.keys(event).find((key) => !/^(id|actorId|createdAt)$/.test(key)))
    expect(kinds).toEqual([
      ...['roomCreated', 'userJoinedRoom', 'userJoinedRoom', 'userJoinedRoom'],
      ...Array.from({ length: 5 }, () => 'messagePosted'),
    ])
    expect(page.events.slice(1, 4).map(({ actorId }) => actorId)).toEqual([owner, ada, bob].map(({ userId }) => userId))
    expect(bodies(page)).toEqual(['one', 'two', 'three 🫖', 'four', 'five'])
    expect(page.events.slice(4).map(({ id }) => id)).toEqual(ids)
    expect(page.hasOlder ?? false).toBe(false)
    expect(page.hasNewer ?? false).toBe(false)
  })

  test('is fetched backwards and forwards with its cursors', async () => {
    const last = await fetchPage({ limit: 2 })
    expect(bodies(last)).toEqual(['four', 'five'])
    expect(last.hasOlder).toBe(true)
    const older = await fetchPage({ limit: 2, before: last.startCursor })
    expect(bodies(older)).toEqual(['two', 'three 🫖'])
    expect(older).toMatchObject({ hasOlder: true, hasNewer: true })
    const newer = await fetchPage({ limit: 1, after: older.endCursor })
    expect(bodies(newer)).toEqual(['four'])
    expect(newer).toMatchObject({ hasOlder: true, hasNewer: true })
    const newest = await fetchPage({ after: newer.endCursor })
    expect(bodies(newest)).toEqual(['five'])
    expect(newest.hasNewer ?? false).toBe(false)
    const nothing = await fetchPage({ after: newest.endCursor })
    expect(nothing.events ?? []).toEqual([])
  })

  test('is fetched around one of its events', async () => {
    const around = await get<{ page: Timeline; targetIndex?: number }>(ada, `${rooms}/GetRoomEventsAround`, {
      ...{ roomId: room.id, eventId: ids[2], limit: 3 },
    })
    expect(bodies(around.page)).toEqual(['two', 'three 🫖', 'four'])
    expect(around.targetIndex).toBe(1)
    const atTheEnd = await get<{ page: Timeline; targetIndex?: number }>(ada, `${rooms}/GetRoomEventsAround`, {
      ...{ roomId: room.id, eventId: ids[4], limit: 3 },
    })
    expect(bodies(atTheEnd.page)).toEqual(['three 🫖', 'four', 'five'])
    expect(atTheEnd.targetIndex).toBe(2)
    expect(
      await ask(ada, `${rooms}/GetRoomEventsAround`, { roomId: room.id, eventId: 'Enowhere', limit: 3 }),
    ).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('includes the profiles of the people in it', async () => {
    const { page } = await get<{ page: { includes: { users: Record<string, object> } } }>(
      ...([ada, `${rooms}/GetRoomEvents`, { roomId: room.id }] as const),
    )
    expect(page.includes.users).toMatchObject({
      [ada.userId]: { id: ada.userId, login: ada.login },
      [bob.userId]: { id: bob.userId, login: bob.login },
    })
  })
})

describe('leaving', () => {
  test('closes the room to the user', async () => {
    expect(await get(bob, `${rooms}/LeaveRoom`, { roomId: room.id })).toEqual({ left: true })
    const refusals = await Promise.all([
      ask(bob, `${messages}/CreateMessage`, { roomId: room.id, body: 'still here?' }),
      ask(bob, `${messages}/GetMessage`, { roomId: room.id, eventId: ids[0] }),
      ask(bob, `${rooms}/GetRoomEvents`, { roomId: room.id }),
      ask(bob, `${rooms}/GetRoomEventsAround`, { roomId: room.id, eventId: ids[0] }),
    ])
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  })

  test('a second time succeeds; leaving a universal room fails', async () => {
    expect(await get(bob, `${rooms}/LeaveRoom`, { roomId: room.id })).toEqual({ left: true })
    const { rooms: all } = await get<{ rooms: { room: { id: string; name: string } }[] }>(
      bob,
      `${directory}/ListRooms`,
      {},
    )
    const announcements = all.find((entry) => entry.room.name === 'announcements')?.room.id
    expect(await ask(bob, `${rooms}/LeaveRoom`, { roomId: announcements })).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition' },
    })
  })

  test('is recorded in the timeline, which returning members can read completely', async () => {
    await get(bob, `${rooms}/JoinRoom`, { roomId: room.id })
    const { page } = await get<{ page: Timeline }>(bob, `${rooms}/GetRoomEvents`, { roomId: room.id })
    expect(page.events.slice(-2)).toMatchObject([
      { actorId: bob.userId, userLeftRoom: { roomId: room.id } },
      { actorId: bob.userId, userJoinedRoom: { roomId: room.id } },
    ])
    expect(page.events).toHaveLength(11)
  })
})

describe('a creation with an idempotency key', () => {
  const send = (base: string, body: object, key = 'key-one') =>
    postJson(`${base}/api/connect/${messages}/CreateMessage`, body, { ...ada.authorization, 'idempotency-key': key })

  test('takes effect once, through any gateway', async () => {
    const [one, other] = fleet().gateways
    const request = { roomId: room.id, body: 'only once' }
    const first = await send(one, request)
    const again = await send(other, request)
    expect(again.body).toEqual(first.body)
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const { page } = await get<{ page: Timeline }>(ada, `${rooms}/GetRoomEvents`, { roomId: room.id })
    expect(page.events.filter(({ messagePosted }) => messagePosted?.message.body === 'only once')).toHaveLength(1)
  })

  test('is refused if the key was used for a different request', async () => {
    const answer = await send(fleet().gateways[0], { roomId: room.id, body: 'something else' })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_argument' } })
  })

  test('takes effect once when both gateways receive it at the same time', async () => {
    const request = { roomId: room.id, body: 'at once' }
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => send(fleet().gateways[i % 2 === 0 ? 0 : 1], request, 'key-two')),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => (body as { message: { id: string } }).message.id)).size).toBe(1)
  })
})
