import { beforeAll, expect, test } from '@jest/globals'
import { MessageService, RoomService, type RoomTimelineEvent } from '@parley/contracts/api'
import type { RealtimeEventEnvelope } from '@parley/contracts/realtime'
import { fleet } from '../src/fleet.ts'
import { type Answer, codeOf } from '../src/http.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom, post, roomName } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { timelineOf } from '../src/timeline.ts'
import { Traffic } from '../src/traffic.ts'

const { joinRoom, leaveRoom, banMember, unbanMember, archiveRoom, unarchiveRoom, updateRoom } = RoomService.method
const guests = 4

let owner: Person
let ada: Person
let people: Person[]
beforeAll(async () => {
  ;[owner, ada, ...people] = await Promise.all([
    signInOwner(),
    newPerson('ada'),
    ...Array.from({ length: guests }, (_, i) => newPerson(`guest${i}`)),
  ])
})

const rowKinds = ['messagePosted', 'userJoinedRoom', 'userLeftRoom', 'roomArchived', 'roomUnarchived', 'roomUpdated']
const isRow = ({ event }: Pick<RealtimeEventEnvelope | RoomTimelineEvent, 'event'>) =>
  rowKinds.includes(event.case ?? '')
const keyOf = ({ id, event }: Pick<RealtimeEventEnvelope | RoomTimelineEvent, 'id' | 'event'>) => `${event.case} ${id}`

const base = (n: number) => ({ base: fleet().gateways[n % 2 === 0 ? 0 : 1] })
const allowed = [undefined, 'permission_denied', 'failed_precondition']

/** Each step gets the number of the round, by which it chooses the gateway. */
const repeatSteps = (pauseMs: number, steps: ((n: number) => Promise<Answer>)[], shift = 0) =>
  new Traffic(1, pauseMs, (n) => {
    const step = steps[n % steps.length]
    if (step === undefined) throw new Error('no steps')
    return step(shift + Math.floor(n / steps.length))
  })

test('concurrent changes of a room have the same order everywhere', async () => {
  const roomId = await newRoom(owner, [ada])
  const nodes = [...fleet().realtimeNodes, ...fleet().realtimeNodes]
  const members = await Promise.all(nodes.map((node) => Socket.subscribe(node, ada.token)))
  const guestSockets = await Promise.all(
    people.map(async (guest, n) => ({
      guest,
      socket: await Socket.subscribe(fleet().realtimeNodes[n % 2 === 0 ? 0 : 1], guest.token),
    })),
  )
  const first = await post(ada, roomId, 'first')
  for (const socket of members) await socket.waitForMessage(first)

  const say = (person: Person, n: number) =>
    person.attempt(MessageService.method.createMessage, { roomId, body: `number ${n}` }, base(n))
  const guestTraffic = people.map((guest, g) => {
    const userId = guest.userId
    const steps: ((n: number) => Promise<Answer>)[] = [
      (n) => guest.attempt(joinRoom, { roomId }, base(n)),
      (n) => say(guest, n),
      (n) => say(guest, n + 1),
      g % 2 === 0
        ? (n) => guest.attempt(leaveRoom, { roomId }, base(n))
        : (n) => owner.attempt(banMember, { roomId, userId, reason: 'noise' }, base(n)),
      (n) => say(guest, n),
      (n) => owner.attempt(unbanMember, { roomId, userId, reason: 'quiet again' }, base(n)),
    ]
    return repeatSteps(0, steps, g)
  })
  const adaTraffic = new Traffic(3, 2, (n) => say(ada, n))
  const ownerSteps: ((n: number) => Promise<Answer>)[] = [
    (n) => owner.attempt(archiveRoom, { roomId }, base(n)),
    (n) => owner.attempt(unarchiveRoom, { roomId }, base(n + 1)),
    (n) => owner.attempt(updateRoom, { roomId, name: roomName() }, base(n)),
  ]
  const ownerTraffic = repeatSteps(25, ownerSteps)
  const all = [...guestTraffic, adaTraffic, ownerTraffic]
  while (ownerTraffic.succeeded.length < 24 || guestTraffic.some(({ outcomes }) => outcomes.length < 36))
    await new Promise((resolve) => setTimeout(resolve, 5))
  for (const traffic of all) await traffic.stop()
  await owner.call(unarchiveRoom, { roomId })
  const last = await post(ada, roomId, 'that is enough')

  for (const { answer, failure } of all.flatMap(({ outcomes }) => outcomes))
    expect(allowed).toContain(failure ?? (answer && codeOf(answer)))
  const timeline = await timelineOf(ada, roomId)
  const from = timeline.findIndex(({ id }) => id === first)
  const rows = timeline.slice(from).filter(isRow).map(keyOf)
  for (const socket of members) {
    await socket.waitForMessage(last)
    const received = socket.events.filter(isRow)
    expect(received.slice(received.findIndex(({ id }) => id === first)).map(keyOf)).toEqual(rows)
  }

  const forGuest = new Map(people.map(({ userId }) => [userId, [] as string[]]))
  const inside = new Set([owner.userId, ada.userId])
  let archived = false
  for (const row of timeline) {
    if (row.event.case === 'userJoinedRoom') inside.add(row.actorId)
    // Nobody posts before their join, after their leave, or while the room is archived.
    if (row.event.case === 'messagePosted') expect([archived, inside.has(row.actorId)]).toEqual([false, true])
    if (row.event.case === 'roomArchived') archived = true
    if (row.event.case === 'roomUnarchived') archived = false
    if (isRow(row)) for (const userId of inside) forGuest.get(userId)?.push(keyOf(row))
    if (row.event.case === 'userLeftRoom') inside.delete(row.actorId)
  }
  for (const { guest, socket } of guestSockets) {
    if (inside.has(guest.userId)) await socket.waitForMessage(last)
    await socket.roundTrip()
    const received = socket.events.filter(
      (envelope) =>
        isRow(envelope) &&
        envelope.event.value !== undefined &&
        'roomId' in envelope.event.value &&
        envelope.event.value.roomId === roomId,
    )
    expect(received.map(keyOf)).toEqual(forGuest.get(guest.userId))
  }
  for (const socket of [...members, ...guestSockets.map(({ socket }) => socket)]) socket[Symbol.dispose]()
})
