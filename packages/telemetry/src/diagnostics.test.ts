import { expect, test } from '@jest/globals'
import { oncePerMinute, textOf } from './diagnostics.ts'

test('a message is passed on at most once a minute, without delaying others', () => {
  const passed: string[] = []
  let nowMs = 0
  const pass = oncePerMinute(
    (text) => passed.push(text),
    () => nowMs,
  )
  for (const text of ['refused', 'refused', 'reset', 'refused']) pass(text)
  expect(passed).toEqual(['refused', 'reset'])
  nowMs = 59_999
  pass('refused')
  expect(passed).toHaveLength(2)
  nowMs = 60_000
  pass('refused')
  expect(passed).toEqual(['refused', 'reset', 'refused'])
})

test('at most twenty different messages are passed on in a minute', () => {
  const passed: string[] = []
  let nowMs = 0
  const pass = oncePerMinute(
    (text) => passed.push(text),
    () => nowMs,
  )
  for (let count = 0; count < 30; count++) pass(`dropped ${count}`)
  expect(passed).toHaveLength(20)
  nowMs = 60_000
  pass('dropped 30')
  expect(passed.at(-1)).toBe('dropped 30')
})

test('errors are reported by their message, and data is left out', () => {
  expect(textOf([JSON.stringify({ stack: 'Error: x\n at y', message: 'connect ECONNREFUSED 127.0.0.1:4' })])).toBe(
    'connect ECONNREFUSED 127.0.0.1:4',
  )
  expect(textOf([JSON.stringify({ message: '', code: 'ECONNREFUSED', name: 'AggregateError' })])).toBe('ECONNREFUSED')
  expect(textOf(['Received:', JSON.stringify({ rejectedSpans: '7', errorMessage: 'too old' })])).toBe(
    'Received: too old',
  )
  expect(textOf(['exporter', 'not understood', new Error('at 3'), new Uint8Array(4)])).toBe(
    'exporter: not understood: at 3',
  )
})

test.each(['https//me:secret@c:4318', ' http://me:a secret@c', 'http://me:secret@c:99999', 'me:a/secret//@c:4317'])(
  'a password in the URL "%s" is hidden',
  (address) => {
    const parts = `Could not parse environment-provided export URL: '${address.trim()}'`
    const text = textOf([parts], { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address })
    expect(text).not.toContain('secret')
    expect(text).toMatch(/'(http.*)?\*{3}@c(:\d+)?'$/)
  },
)

test('headers of collectors and passwords in other URLs are hidden', () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'a=1,authorization=Basic c2VjcmV0' }
  expect(textOf(['sent 11 with Basic c2VjcmV0 to http://me:secret@proxy'], env)).toBe(
    'sent 11 with *** to http://***@proxy',
  )
  const encoded = { OTEL_EXPORTER_OTLP_HEADERS: 'user=Basic,authorization=Basic%20c2VjcmV0' }
  expect(textOf(['illegal: "Basic c2VjcmV0"'], encoded)).toBe('illegal: "***"')
})
