import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { currentTraceparent, startTelemetry, stopTelemetry, withSpan } from '@parley/telemetry'
import { eventually, OtlpReceiver, recordEvents } from '@parley/testkit'
import { startFleet, type Fleet } from './_fleet.ts'

let collector: OtlpReceiver
let fleet: Fleet
beforeAll(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry(process.env)
  fleet = await startFleet()
})
afterAll(async () => {
  await fleet[Symbol.asyncDispose]()
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
})

async function runInTrace(call: () => Promise<unknown>): Promise<string> {
  let traceparent = ''
  await withSpan('request', {}, () => {
    traceparent = currentTraceparent()
    return call()
  })
  return traceparent.split('-')[1] ?? ''
}

test('requests of one batch keep their traces', async () => {
  const people = ['ann', 'bob', 'eve', 'joe']
  const room = await fleet.room().channel(people)
  const { roomId } = room
  await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.>`)
  const clients = people.map((person) => fleet.as(person).messages)
  const { message } = (await clients[0]?.createMessage({ roomId, body: 'first' })) ?? {}
  const reaction = { roomId, messageEventId: message?.id ?? '', emoji: 'thumbsup' }
  const traceIds = await Promise.all([
    ...clients.map((messages) => runInTrace(() => messages.createMessage({ roomId, body: 'hello' }))),
    ...clients.map((messages) => runInTrace(() => messages.addReaction(reaction))),
  ])
  const joined = await runInTrace(() => room.join('sue'))
  await eventually(() => expect(recorded.events.length).toBeGreaterThanOrEqual(traceIds.length + 2))
  const traceOf = (kind: string, actorId: string) =>
    recorded.events
      .filter((event) => event.kind === kind && event.actorId === actorId)
      .at(-1)
      ?.traceparent.split('-')[1]
  expect(people.map((person) => traceOf('message_posted', person))).toEqual(traceIds.slice(0, 4))
  expect(people.map((person) => traceOf('reaction_added', person))).toEqual(traceIds.slice(4))
  expect(traceOf('user_joined_room', 'sue')).toBe(joined)

  await stopTelemetry()
  const batches = collector.spans.filter(({ name }) => name === 'write room log')
  const together = batches.flatMap(({ traceId, links }) => [traceId, ...links.map((link) => link.traceId)])
  expect(together).toEqual(expect.arrayContaining([...traceIds, joined]))
  expect(batches.some(({ links }) => links.length > 0)).toBe(true)
})
