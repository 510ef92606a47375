import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { useEnv } from './_env.ts'

const env = useEnv()
let hook: string

beforeAll(async () => {
  hook = `${(await env.start()).url}/webhooks/livekit`
})

const people = ['Ualice', 'Ubob', 'Ucarol']
/** Absent people connect; present ones leave, or connect again without having left. */
const steps = fc.array(fc.record({ who: fc.nat(2), again: fc.boolean() }), { minLength: 1, maxLength: 8 })
const history = fc.tuple(steps, fc.infiniteStream(fc.nat()))

/** Repeats some events and puts all into a random order; the numbers decide both. */
function shuffle<T>(events: readonly T[], numbers: Iterable<number>): T[] {
  const random = numbers[Symbol.iterator]()
  const next = () => Number(random.next().value)
  const all = events.flatMap((event) => Array.from({ length: 1 + (next() % 2) }, () => event))
  return all
    .map((event) => ({ event, rank: next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ event }) => event)
}

let runs = 0

test('after webhooks in any order and with duplicates, a call has the participants of the media server', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ([actions, numbers]) => {
      const roomId = `R${runs++}`
      env.rooms.set(roomId, people)
      const [first = ''] = people
      await env.as(first).joinCall({ roomId })
      const tokens = await Promise.all(people.map((userId) => env.as(userId).getCallToken({ roomId })))
      const mediaRoom = `server_${roomId}@${tokens[0]?.callId}`
      const { livekit } = env
      const before = livekit.events.length
      await livekit.connect(tokens[0]?.token ?? '')
      for (const { who, again } of actions) {
        const isConnected = livekit.rooms.get(mediaRoom)?.participants.has(people[who] ?? '')
        if (isConnected && !again) livekit.disconnect(people[who] ?? '', mediaRoom)
        else await livekit.connect(tokens[who]?.token ?? '')
      }
      const connected = [...(livekit.rooms.get(mediaRoom)?.participants.keys() ?? [])].sort()
      if (connected.length === 0) livekit.closeRoom(mediaRoom)
      for (const event of shuffle(livekit.events.slice(before), numbers))
        expect(await livekit.send(hook, event)).toBe(200)
      expect((await env.inCall(roomId, first)) ?? []).toEqual(connected)
    }),
    { numRuns: 25 },
  )
})
