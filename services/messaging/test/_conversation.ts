import { Code } from '@connectrpc/connect'
import { expect } from '@jest/globals'
import type { Message } from '@parley/contracts/api'
import type { Event } from '@parley/contracts/internal'
import { recordEvents } from '@parley/testkit'
import { received } from './_events.ts'
import type { Fleet, Person } from './_fleet.ts'

export const refused = (code: Code, message: string) => ({ code, rawMessage: expect.stringContaining(message) })
export const gone = refused(Code.NotFound, 'message not found')

export const say = async (person: Person, roomId: string, body: string, more: object = {}): Promise<Message> => {
  const { message } = await person.messages.createMessage({ roomId, body, ...more })
  if (!message) throw new Error('no message')
  return message
}

/** A reply with its echo below a root. */
export async function echoed(person: Person, roomId: string) {
  const root = await say(person, roomId, 'root')
  const reply = await say(person, roomId, 'reply', { threadRootEventId: root.id, alsoSendToChannel: true })
  return { root, reply, echoId: reply.channelEchoEventId }
}

/** The message or its placeholder in the timeline; undefined if it is not there. */
export async function shown(person: Person, roomId: string, eventId: string): Promise<Message | undefined> {
  const { page } = await person.rooms.getRoomEvents({ roomId, limit: 500 })
  const event = page?.events.find(({ id }) => id === eventId)?.event
  return event?.case === 'messagePosted' ? event.value.message : undefined
}

/** A message as its room reads it. */
export const read = async (person: Person, roomId: string, eventId: string): Promise<Message | undefined> =>
  (await person.messages.getMessage({ roomId, eventId })).message

/** Client events, without ids of envelopes. */
export const published = (events: readonly Event[]) =>
  events.map((event) => ({
    kind: event.kind,
    received: received(event).map(({ to, kind, value }) => ({ to, kind, ...value })),
  }))

/** Records events of the room from now on, each once. */
export async function recordRoom(fleet: Fleet, roomId: string, kind = '>') {
  await fleet.settled(roomId)
  const recording = await recordEvents(fleet.bus, `evt.room.${roomId}.${kind}`)
  return {
    get events(): Event[] {
      return [...new Map(recording.events.map((event) => [event.id, event])).values()]
    },
    [Symbol.asyncDispose]: () => recording[Symbol.asyncDispose](),
  }
}
