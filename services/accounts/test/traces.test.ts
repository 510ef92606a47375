import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { currentTraceparent, startTelemetry, stopTelemetry, withSpan } from '@parley/telemetry'
import { eventually, OtlpReceiver } from '@parley/testkit'
import { makeUser, openEnv } from './_env.ts'
import { startMailServer } from './_smtp.ts'

const address = 'hans@unspeakable.example'
const forgetful = 'ida@unspeakable.example'

let collector: OtlpReceiver
const traceIds: string[] = []
beforeAll(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry(process.env)
  await using server = await startMailServer()
  await using env = await openEnv()
  await env.start(server.settings)
  await makeUser(env, 'ida', { email: forgetful })
  server.refusals.push({ code: 451, at: 'recipient' })
  const sent = server.attempts()
  const requests = [
    () => env.signIn.requestRegistrationCode({ email: address }),
    () => env.signIn.requestPasswordReset({ email: forgetful }),
  ]
  for (const request of requests)
    await withSpan('request', {}, async () => {
      traceIds.push(currentTraceparent().split('-')[1] ?? '')
      await request()
    })
  await eventually(() => expect(server.mails.map(({ to }) => to).sort()).toEqual([address, forgetful]))
  expect(server.attempts()).toBe(sent + 3)
  await env[Symbol.asyncDispose]()
  await stopTelemetry()
})
afterAll(async () => {
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
})

const spansOf = (traceId: string | undefined, name: string) =>
  collector.spans.filter((span) => span.traceId === traceId && span.name === name)

test('each attempt to send a mail is a span of the request, with its refusal', () => {
  const sent = spansOf(traceIds[0], 'send mail')
  expect(sent.map(({ kind, attributes }) => [kind, attributes['parley.kind'], attributes['error.type']])).toEqual([
    ['client', 'registration_code', '451'],
    ['client', 'registration_code', undefined],
  ])
})

test('a mail sent after the response is a span of its request', () => {
  expect(spansOf(traceIds[1], 'send mail').map(({ attributes }) => attributes['parley.kind'])).toEqual([
    'password_reset',
  ])
})

test('counting a mail in Redis is a span of its request', () => {
  expect(spansOf(traceIds[0], 'EVAL').length + spansOf(traceIds[0], 'EVALSHA').length).toBeGreaterThan(0)
})

test('no span contains the recipient of a mail', () => {
  expect(JSON.stringify(collector.batches)).not.toContain('unspeakable')
})
